package io.github.rpcrdma4j.nfs.mount;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/** Procedures, arguments and results of MOUNT version 3. */
public final class Mount3 {
    public static final int PROGRAM = 100005;
    public static final int VERSION = 3;

    /** The longest path of an export or a mount, in bytes. */
    public static final int PATH_MAX = 1024;

    /** The longest name of a client or a group, in bytes. */
    public static final int NAME_MAX = 255;

    /** The longest file handle, in bytes. */
    public static final int HANDLE_MAX = 64;

    /** The most entries of a list that a decoder accepts. */
    private static final int LIST_MAX = 65536;

    private static final int FLAVORS_MAX = 16;

    private Mount3() {}

    /** The procedures, in the order of their numbers. */
    public enum Procedure {
        NULL,
        MNT,
        DUMP,
        UMNT,
        UMNTALL,
        EXPORT;

        public int number() {
            return ordinal();
        }
    }

    /** The status of MNT: {@code mountstat3}. */
    public enum MountStatus {
        OK(0, "done"),
        PERM(1, "not the owner"),
        NOENT(2, "no such export"),
        IO(5, "input/output error on the server"),
        ACCES(13, "permission denied: the server does not let this host mount it"),
        NOTDIR(20, "not a directory"),
        INVAL(22, "invalid argument"),
        NAMETOOLONG(63, "name too long"),
        NOTSUPP(10004, "not supported by the server"),
        SERVERFAULT(10006, "the server failed");

        private final int number;
        private final String description;

        MountStatus(int number, String description) {
            this.number = number;
            this.description = description;
        }

        public int number() {
            return number;
        }

        public String description() {
            return description;
        }

        static MountStatus of(int number) {
            for (var status : values()) {
                if (status.number == number) {
                    return status;
                }
            }
            return SERVERFAULT;
        }
    }

    /**
     * The results of MNT.
     *
     * <pre>status | OK: handle | flavors</pre>
     */
    public sealed interface MountResult {
        /**
         * The export is mounted.
         *
         * @param handle the file handle of the root of the export; not copied
         * @param flavors the RPC authentication flavors that the server accepts
         */
        record Ok(byte[] handle, List<Integer> flavors) implements MountResult {}

        /** The server refuses. */
        record Failed(MountStatus status) implements MountResult {}

        static MountResult decode(XdrReader in) throws XdrException {
            int status = in.uint32();
            if (status != MountStatus.OK.number) {
                in.finish();
                return new Failed(MountStatus.of(status));
            }
            byte[] handle = in.bytes(HANDLE_MAX);
            int count = in.count(Integer.BYTES, FLAVORS_MAX);
            var flavors = new ArrayList<Integer>(count);
            for (int i = 0; i < count; i++) {
                flavors.add(in.uint32());
            }
            in.finish();
            return new Ok(handle, List.copyOf(flavors));
        }

        default void encode(XdrWriter out) {
            switch (this) {
                case Failed(var status) -> out.uint32(status.number);
                case Ok(var handle, var flavors) -> {
                    out.uint32(MountStatus.OK.number).opaque(handle).uint32(flavors.size());
                    flavors.forEach(out::uint32);
                }
            }
        }
    }

    /** An entry of DUMP: a client and the path that it has mounted. */
    public record MountEntry(String client, PathName path) {
        /**
         *
         *
         * <pre>{ 1 | client | path }* 0</pre>
         */
        public static void encode(XdrWriter out, List<MountEntry> entries) {
            for (var entry : entries) {
                out.bool(true).string(entry.client);
                entry.path.encode(out);
            }
            out.bool(false);
        }

        public static List<MountEntry> decode(XdrReader in) throws XdrException {
            var entries = new ArrayList<MountEntry>();
            while (in.bool()) {
                requireRoom(entries);
                entries.add(new MountEntry(in.string(NAME_MAX), PathName.decode(in, PATH_MAX)));
            }
            in.finish();
            return entries;
        }

        @Override
        public int hashCode() {
            return KeyedHash.of(KeyedHash.of(client), path.hashCode());
        }
    }

    /**
     * An entry of EXPORT: an exported path and the groups that may mount it; no groups means all.
     */
    public record ExportEntry(PathName path, List<String> groups) {
        public ExportEntry {
            groups = List.copyOf(groups);
        }

        /**
         *
         *
         * <pre>{ 1 | path | { 1 | group }* 0 }* 0</pre>
         */
        public static void encode(XdrWriter out, List<ExportEntry> exports) {
            for (var export : exports) {
                out.bool(true);
                export.path.encode(out);
                export.groups.forEach(group -> out.bool(true).string(group));
                out.bool(false);
            }
            out.bool(false);
        }

        public static List<ExportEntry> decode(XdrReader in) throws XdrException {
            var exports = new ArrayList<ExportEntry>();
            while (in.bool()) {
                requireRoom(exports);
                var path = PathName.decode(in, PATH_MAX);
                var groups = new ArrayList<String>();
                while (in.bool()) {
                    requireRoom(groups);
                    groups.add(in.string(NAME_MAX));
                }
                exports.add(new ExportEntry(path, groups));
            }
            in.finish();
            return exports;
        }
    }

    private static void requireRoom(List<?> list) throws XdrException {
        if (list.size() == LIST_MAX) {
            throw new XdrException("a list has more than " + LIST_MAX + " entries");
        }
    }
}
