package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The result of a callback: {@code nfs_cb_resop4} (RFC 8881, Section 20). A server decodes it.
 *
 * <pre>
 *   number(32) | status(32) | values
 * </pre>
 */
public sealed interface CallbackResult {
    /** The number of a callback that the client does not know. */
    int ILLEGAL = 10044;

    /** Returns the number of the callback, or {@link #ILLEGAL}. */
    int number();

    /** Returns the status. */
    Nfs4Status status();

    /** Writes the values behind the status. */
    default void encodeBody(XdrWriter out) {}

    /** Writes the number, the status and the values. */
    default void encode(XdrWriter out) {
        encodeBody(out.uint32(number()).uint32(status().number()));
    }

    /**
     * Reads the number, the status and the values.
     *
     * @throws XdrException if they are malformed, or if no server here makes such a callback
     */
    static CallbackResult decode(XdrReader in) throws XdrException {
        if (in.peekUint32() == ILLEGAL) {
            return new Plain(in.uint32(), Result.decodeStatus(in));
        }
        var opcode = CallbackOpcode.decode(in);
        var status = Result.decodeStatus(in);
        if (status != Nfs4Status.OK) {
            return new Plain(opcode.number(), status);
        }
        return switch (opcode) {
            case CB_GETATTR -> new GetAttr(EncodedAttributes.decode(in));
            case CB_SEQUENCE -> Sequence.decode(in);
            case CB_RECALL, CB_RECALL_ANY, CB_RECALL_SLOT, CB_NOTIFY_LOCK, CB_OFFLOAD ->
                    new Plain(opcode.number(), status);
        };
    }

    /** A failure, or a success without values. */
    record Plain(int number, Nfs4Status status) implements CallbackResult {}

    /**
     * CB_GETATTR (RFC 8881, Section 20.1).
     *
     * <pre>
     *   fattr4
     * </pre>
     */
    record GetAttr(EncodedAttributes attributes) implements CallbackResult {
        @Override
        public int number() {
            return CallbackOpcode.CB_GETATTR.number();
        }

        @Override
        public Nfs4Status status() {
            return Nfs4Status.OK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            attributes.encode(out);
        }
    }

    /**
     * CB_SEQUENCE (RFC 8881, Section 20.9).
     *
     * <pre>
     *   sessionid | sequenceid(32) | slotid(32) | highest_slotid(32) | target_highest_slotid(32)
     * </pre>
     *
     * @param highestSlot the highest slot that the client takes
     * @param targetHighestSlot the highest slot that the client wants to take in future
     */
    record Sequence(
            SessionId session, int sequence, int slot, int highestSlot, int targetHighestSlot)
            implements CallbackResult {
        private static Sequence decode(XdrReader in) throws XdrException {
            return new Sequence(
                    SessionId.decode(in), in.uint32(), in.uint32(), in.uint32(), in.uint32());
        }

        @Override
        public int number() {
            return CallbackOpcode.CB_SEQUENCE.number();
        }

        @Override
        public Nfs4Status status() {
            return Nfs4Status.OK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            session.encode(out).uint32(sequence).uint32(slot).uint32(highestSlot);
            out.uint32(targetHighestSlot);
        }
    }
}
