package io.github.rpcrdma4j.nfs.mount;

import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Procedures and results of MOUNT version 1, beside NFS version 2 (RFC 1094, Appendix A). Paths and
 * the lists of DUMP and EXPORT are those of {@link Mount3}.
 */
public final class Mount1 {
    public static final int VERSION = 1;

    /** The length of a file handle, in bytes. */
    public static final int HANDLE_BYTES = 32;

    private Mount1() {}

    /** The procedures, in the order of their numbers. */
    public enum Procedure {
        NULL,
        MNT,
        DUMP,
        UMNT,
        UMNTALL,
        EXPORT,
        /** Another name of EXPORT, which other servers have. */
        EXPORTALL;

        private static final Procedure[] BY_NUMBER = values();

        /** Returns whether a procedure has this number. */
        public static boolean exists(int number) {
            return number >= 0 && number < BY_NUMBER.length;
        }

        /** Returns the procedure of a number that {@link #exists}. */
        public static Procedure of(int number) {
            return BY_NUMBER[number];
        }

        public int number() {
            return ordinal();
        }
    }

    /**
     * The results of MNT: {@code fhstatus}.
     *
     * <pre>status(32) [ | OK: handle, 32 bytes ]</pre>
     */
    public sealed interface MountResult {
        /**
         * The export is mounted.
         *
         * @param handle the file handle of the root of the export; not copied
         */
        record Ok(byte[] handle) implements MountResult {
            public Ok {
                if (handle.length != HANDLE_BYTES) {
                    throw new IllegalArgumentException("a file handle of version 2 has 32 bytes");
                }
            }
        }

        /**
         * The server refuses.
         *
         * @param status travels as a number of Unix errors, so NOTSUPP and SERVERFAULT as IO
         */
        record Failed(MountStatus status) implements MountResult {}

        /**
         * Reads the whole results.
         *
         * @throws XdrException if they are malformed, or if bytes remain after them
         */
        static MountResult decode(XdrReader in) throws XdrException {
            int status = in.uint32();
            MountResult result =
                    status == MountStatus.OK.number()
                            ? new Ok(in.fixedOpaque(HANDLE_BYTES).toArray(ValueLayout.JAVA_BYTE))
                            : new Failed(MountStatus.of(status));
            in.finish();
            return result;
        }

        /** Writes the results. */
        default void encode(XdrWriter out) {
            switch (this) {
                case Failed(var status) -> out.uint32(unix(status).number());
                case Ok(var handle) ->
                        out.uint32(MountStatus.OK.number())
                                .fixedOpaque(MemorySegment.ofArray(handle));
            }
        }

        private static MountStatus unix(MountStatus status) {
            return switch (status) {
                case NOTSUPP, SERVERFAULT -> MountStatus.IO;
                case OK, PERM, NOENT, IO, ACCES, NOTDIR, INVAL, NAMETOOLONG -> status;
            };
        }
    }
}
