package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of the operations on attributes (RFC 8881, Section 18).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface AttributeArguments extends Arguments {
    /**
     * GETATTR (RFC 8881, Section 18.7).
     *
     * <pre>
     *   bitmap
     * </pre>
     */
    record GetAttr(AttributeSet wanted) implements AttributeArguments {
        static GetAttr decode(XdrReader in) throws XdrException {
            return new GetAttr(AttributeSet.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.GETATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            wanted.encode(out);
        }
    }

    /**
     * SETATTR (RFC 8881, Section 18.30).
     *
     * <pre>
     *   stateid | fattr4
     * </pre>
     */
    record SetAttr(StateId stateId, EncodedAttributes attributes) implements AttributeArguments {
        static SetAttr decode(XdrReader in) throws XdrException {
            return new SetAttr(StateId.decode(in), EncodedAttributes.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            attributes.encode(stateId.encode(out));
        }
    }

    /**
     * VERIFY (RFC 8881, Section 18.31).
     *
     * <pre>
     *   fattr4
     * </pre>
     */
    record Verify(EncodedAttributes attributes) implements AttributeArguments {
        static Verify decode(XdrReader in) throws XdrException {
            return new Verify(EncodedAttributes.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.VERIFY;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            attributes.encode(out);
        }
    }

    /**
     * NVERIFY (RFC 8881, Section 18.15).
     *
     * <pre>
     *   fattr4
     * </pre>
     */
    record NVerify(EncodedAttributes attributes) implements AttributeArguments {
        static NVerify decode(XdrReader in) throws XdrException {
            return new NVerify(EncodedAttributes.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.NVERIFY;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            attributes.encode(out);
        }
    }

    /**
     * ACCESS (RFC 8881, Section 18.1; RFC 8276, Section 8.3).
     *
     * <pre>
     *   access(32)
     * </pre>
     *
     * @param wanted the rights to check, unknown ones included
     */
    record Access(int wanted) implements AttributeArguments {
        /** Rights, of arguments and results. */
        public static final int READ = 0x01;

        public static final int LOOKUP = 0x02;
        public static final int MODIFY = 0x04;
        public static final int EXTEND = 0x08;
        public static final int DELETE = 0x10;
        public static final int EXECUTE = 0x20;

        /** Rights to extended attributes: get, set or remove, and list. */
        public static final int XATTR_READ = 0x40;

        public static final int XATTR_WRITE = 0x80;
        public static final int XATTR_LIST = 0x100;

        static Access decode(XdrReader in) throws XdrException {
            return new Access(in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.ACCESS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint32(wanted);
        }
    }

    /**
     * OPENATTR (RFC 8881, Section 18.17).
     *
     * <pre>
     *   createdir
     * </pre>
     */
    record OpenAttr(boolean isCreating) implements AttributeArguments {
        static OpenAttr decode(XdrReader in) throws XdrException {
            return new OpenAttr(in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.OPENATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.bool(isCreating);
        }
    }
}
