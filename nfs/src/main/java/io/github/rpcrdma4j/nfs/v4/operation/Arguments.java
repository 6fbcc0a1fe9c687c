package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of an operation: {@code nfs_argop4} (RFC 8881, Section 16.2).
 *
 * <pre>
 *   number(32) | arguments
 * </pre>
 *
 * <p>Decoded segments are views, valid as long as the memory of the message and of the placed data.
 */
public sealed interface Arguments
        permits SessionArguments,
                LeaseArguments,
                HandleArguments,
                StateArguments,
                LockArguments,
                DataArguments,
                CopyArguments,
                NameArguments,
                AttributeArguments,
                XattrArguments,
                Arguments.NotSupported,
                Arguments.Illegal {
    /** Returns the operation. */
    Opcode opcode();

    /** Writes the arguments behind the number. */
    default void encodeBody(XdrWriter out) {}

    /** Writes the number and the arguments. */
    default void encode(XdrWriter out) {
        encodeBody(out.uint32(opcode().number()));
    }

    /**
     * Reads the number of the next operation, and its arguments unless they are {@link Illegal}.
     *
     * @param minorVersion the minor version of the COMPOUND
     * @throws XdrException if they are malformed
     */
    static Arguments decode(int minorVersion, XdrReader in) throws XdrException {
        int number = in.uint32();
        var opcode = Opcode.of(number);
        return opcode.isEmpty()
                        || opcode.get() == Opcode.ILLEGAL
                        || opcode.get().operation().minorVersion() > minorVersion
                ? new Illegal(number)
                : opcode.get().decodeArguments(minorVersion, in);
    }

    /**
     * An operation that no server here carries out: of pNFS, optional, or of minor version 0 only
     * in a later one. Its arguments were skipped.
     */
    record NotSupported(Opcode opcode) implements Arguments {
        static NotSupported decode(Opcode opcode, XdrReader in) throws XdrException {
            opcode.operation().skipArguments(in);
            return new NotSupported(opcode);
        }

        /**
         * @throws UnsupportedOperationException always, because the arguments are not known
         */
        @Override
        public void encodeBody(XdrWriter out) {
            throw new UnsupportedOperationException("the arguments of " + opcode + " are gone");
        }
    }

    /**
     * A number that is no operation of the minor version, and nothing behind it can be decoded. The
     * server answers OP_ILLEGAL (RFC 8881, Section 15.1.3.4).
     */
    record Illegal(int number) implements Arguments {
        @Override
        public Opcode opcode() {
            return Opcode.ILLEGAL;
        }

        @Override
        public void encode(XdrWriter out) {
            out.uint32(number);
        }
    }
}
