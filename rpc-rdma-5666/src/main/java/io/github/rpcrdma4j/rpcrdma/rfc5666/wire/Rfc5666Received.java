package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.OtherError;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Done;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import java.lang.foreign.MemorySegment;

/**
 * What a received message is to its receiver, who keeps to RFC 5666 where RFC 8166 took something
 * out. Nothing else is checked less. Pure and total.
 */
public sealed interface Rfc5666Received {
    /** What it is by RFC 8166, but that a reply may have a Read list. */
    record Common(Received received) implements Rfc5666Received {}

    /**
     * A usable call or reply as an RDMA_MSGP.
     *
     * @param payload the RPC message as it travels, padded
     */
    record Padded(PaddedMsg header, MemorySegment payload) implements Rfc5666Received {}

    /** The requester has fetched the Read chunks of the reply with that XID (RFC 5666-3.5-3). */
    record Finished(int xid) implements Rfc5666Received {}

    /** The call of its XID failed for good. */
    record Failure(OtherError error) implements Rfc5666Received {}

    /** What a message is to a responder. */
    static Rfc5666Received byResponder(MemorySegment message) {
        return switch (Rfc5666HeaderCodec.decode(message)) {
            case Decoded.Common(Version1HeaderCodec.Decoded.Ok(Done(var xid, _), _)) ->
                    new Finished(xid);
            case Decoded.Common _ -> new Common(Received.byResponder(message));
            case Decoded.Ok(OtherError _, _) -> discard("an RDMA_ERROR at a responder");
            case Decoded.Ok(PaddedMsg header, var length) -> {
                var payload = message.asSlice(length);
                yield Received.faultOfCall(header.xid(), header.chunks(), payload)
                        .<Rfc5666Received>map(Common::new)
                        .orElseGet(() -> new Padded(header, payload));
            }
        };
    }

    /** What a message is to a requester. */
    static Rfc5666Received byRequester(MemorySegment message) {
        return switch (Rfc5666HeaderCodec.decode(message)) {
            case Decoded.Common _ -> new Common(Received.byRequester(message, true));
            case Decoded.Ok(OtherError error, _) -> new Failure(error);
            case Decoded.Ok(PaddedMsg header, var length) -> {
                var payload = message.asSlice(length);
                yield Received.faultOfReply(header.xid(), header.chunks(), payload, true)
                        .<Rfc5666Received>map(Common::new)
                        .orElseGet(() -> new Padded(header, payload));
            }
        };
    }

    private static Rfc5666Received discard(String why) {
        return new Common(new Received.Discard(why));
    }
}
