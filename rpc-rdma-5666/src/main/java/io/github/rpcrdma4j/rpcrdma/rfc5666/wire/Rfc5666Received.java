package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.OtherError;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Done;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import java.lang.foreign.MemorySegment;

/**
 * A received message as its receiver treats it under RFC 5666. The additions of RFC 5666 are
 * accepted; all other checks of RFC 8166 apply. Pure; it never throws.
 */
public sealed interface Rfc5666Received {
    /** A message treated by the rules of RFC 8166, except that a reply may have a Read list. */
    record Common(Received received) implements Rfc5666Received {}

    /**
     * A usable call or reply as an RDMA_MSGP.
     *
     * @param payload the RPC message as it travels, with padding
     */
    record Padded(PaddedMsg header, MemorySegment payload) implements Rfc5666Received {}

    /**
     * A notice that the requester has fetched the Read chunks of the reply with that XID (RFC
     * 5666-3.5-3).
     */
    record Finished(int xid) implements Rfc5666Received {}

    /** An error that ends the call of its XID for good. */
    record Failure(OtherError error) implements Rfc5666Received {}

    /** Classifies a message that a responder received. */
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

    /** Classifies a message that a requester received. */
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
