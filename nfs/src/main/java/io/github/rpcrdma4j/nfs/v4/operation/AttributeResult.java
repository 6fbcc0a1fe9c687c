package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeWriter;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** The values of operations on attributes (RFC 8881, Section 18). */
public sealed interface AttributeResult extends Result {
    /**
     * GETATTR (RFC 8881, Section 18.7), as a client decodes it. A server writes it by {@link
     * #encode(XdrWriter, AttributeSet, FileFacts)}, without this record.
     *
     * <pre>
     *   fattr4
     * </pre>
     */
    record GetAttr(EncodedAttributes attributes) implements AttributeResult {
        static GetAttr decode(XdrReader in) throws XdrException {
            return new GetAttr(EncodedAttributes.decode(in));
        }

        /** Writes the number of GETATTR, its success, and the attributes of a file. */
        public static void encode(XdrWriter out, AttributeSet wanted, FileFacts facts) {
            out.uint32(Opcode.GETATTR.number()).uint32(Nfs4Status.OK.number());
            AttributeWriter.encode(out, wanted, facts);
        }

        @Override
        public Opcode opcode() {
            return Opcode.GETATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            attributes.encode(out);
        }
    }

    /**
     * SETATTR (RFC 8881, Section 18.30), successful or not.
     *
     * <pre>
     *   bitmap
     * </pre>
     *
     * @param set the attributes that were set, also if another one failed
     */
    record SetAttr(Nfs4Status status, AttributeSet set) implements AttributeResult {
        static SetAttr decode(XdrReader in) throws XdrException {
            return new SetAttr(Nfs4Status.OK, AttributeSet.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            set.encode(out);
        }
    }

    /**
     * ACCESS (RFC 8881, Section 18.1).
     *
     * <pre>
     *   supported(32) | access(32)
     * </pre>
     *
     * @param supported the rights that the server could check
     * @param granted the rights that the caller has
     */
    record Access(int supported, int granted) implements AttributeResult {
        static Access decode(XdrReader in) throws XdrException {
            return new Access(in.uint32(), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.ACCESS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint32(supported).uint32(granted);
        }
    }
}
