package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/** The arguments of the operations on extended attributes (RFC 8276, Section 8.4). */
public sealed interface XattrArguments extends Arguments {
    /**
     * GETXATTR (RFC 8276, Section 8.4.1).
     *
     * <pre>
     *   name
     * </pre>
     *
     * @param name without a prefix such as {@code user.}
     */
    record GetXattr(FileName name) implements XattrArguments {
        static GetXattr decode(XdrReader in) throws XdrException {
            return new GetXattr(FileNames.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.GETXATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            name.encode(out);
        }
    }

    /**
     * SETXATTR (RFC 8276, Section 8.4.2).
     *
     * <pre>
     *   option(32) | name | value&lt;&gt;
     * </pre>
     *
     * @param name without a prefix such as {@code user.}
     * @param value a view of received memory, or the caller's
     */
    record SetXattr(Option option, FileName name, MemorySegment value) implements XattrArguments {
        /**
         * Whether the attribute may exist: {@code setxattr_option4}, in the order of its numbers.
         */
        public enum Option {
            EITHER,
            CREATE,
            REPLACE;

            private static final Option[] BY_NUMBER = values();

            static Option decode(XdrReader in) throws XdrException {
                int number = in.uint32();
                if (number < 0 || number >= BY_NUMBER.length) {
                    throw XdrArrays.unknown("setxattr_option4", number);
                }
                return BY_NUMBER[number];
            }
        }

        static SetXattr decode(XdrReader in) throws XdrException {
            return new SetXattr(
                    Option.decode(in), FileNames.decode(in), in.opaque(FileNames.BYTES_MAX));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETXATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            name.encode(out.uint32(option.ordinal())).opaque(value);
        }
    }

    /**
     * LISTXATTRS (RFC 8276, Section 8.4.3).
     *
     * <pre>
     *   cookie(64) | maxcount(32)
     * </pre>
     *
     * @param cookie 0 for the first names, else that of an earlier result
     * @param countMax the most bytes of the values, unsigned
     */
    record ListXattrs(long cookie, int countMax) implements XattrArguments {
        static ListXattrs decode(XdrReader in) throws XdrException {
            return new ListXattrs(in.uint64(), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.LISTXATTRS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(cookie).uint32(countMax);
        }
    }

    /**
     * REMOVEXATTR (RFC 8276, Section 8.4.4).
     *
     * <pre>
     *   name
     * </pre>
     *
     * @param name without a prefix such as {@code user.}
     */
    record RemoveXattr(FileName name) implements XattrArguments {
        static RemoveXattr decode(XdrReader in) throws XdrException {
            return new RemoveXattr(FileNames.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.REMOVEXATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            name.encode(out);
        }
    }
}
