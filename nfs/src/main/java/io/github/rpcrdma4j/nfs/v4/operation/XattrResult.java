package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The values of successful operations on extended attributes (RFC 8276, Section 8.4). */
public sealed interface XattrResult extends Result {
    /**
     * GETXATTR (RFC 8276, Section 8.4.1).
     *
     * <pre>
     *   value&lt;&gt;
     * </pre>
     *
     * @param value a view of received memory, or the server's, which is copied
     */
    record GetXattr(MemorySegment value) implements XattrResult {
        static GetXattr decode(XdrReader in) throws XdrException {
            return new GetXattr(in.opaque(FileNames.BYTES_MAX));
        }

        @Override
        public Opcode opcode() {
            return Opcode.GETXATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.opaque(value);
        }
    }

    /**
     * SETXATTR (RFC 8276, Section 8.4.2).
     *
     * <pre>
     *   change_info4
     * </pre>
     *
     * @param change of the file
     */
    record SetXattr(ChangeInfo change) implements XattrResult {
        static SetXattr decode(XdrReader in) throws XdrException {
            return new SetXattr(ChangeInfo.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETXATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            change.encode(out);
        }
    }

    /**
     * REMOVEXATTR (RFC 8276, Section 8.4.4).
     *
     * <pre>
     *   change_info4
     * </pre>
     *
     * @param change of the file
     */
    record RemoveXattr(ChangeInfo change) implements XattrResult {
        static RemoveXattr decode(XdrReader in) throws XdrException {
            return new RemoveXattr(ChangeInfo.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.REMOVEXATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            change.encode(out);
        }
    }

    /**
     * LISTXATTRS (RFC 8276, Section 8.4.3).
     *
     * <pre>
     *   cookie(64) | name&lt;&gt; | eof
     * </pre>
     *
     * @param cookie where a listing goes on after these names
     * @param isLast whether there are no names after these
     */
    record ListXattrs(long cookie, List<FileName> names, boolean isLast) implements XattrResult {
        /** The bytes of the values without names. */
        public static final int EMPTY_BYTES = Long.BYTES + 2 * Integer.BYTES;

        public ListXattrs {
            names = List.copyOf(names);
        }

        /** Returns the bytes that a name adds, which {@code countMax} of the arguments limits. */
        public static long bytes(FileName name) {
            return Integer.BYTES + XdrWriter.roundUp(name.length());
        }

        static ListXattrs decode(XdrReader in) throws XdrException {
            return new ListXattrs(
                    in.uint64(), XdrArrays.list(in, Integer.BYTES, FileNames::decode), in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.LISTXATTRS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out.uint64(cookie), names, FileName::encode);
            out.bool(isLast);
        }
    }
}
