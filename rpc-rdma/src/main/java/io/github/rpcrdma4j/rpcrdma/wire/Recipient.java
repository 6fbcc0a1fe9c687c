package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.Done;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeaderCodec.Decoded;
import java.lang.foreign.MemorySegment;

/**
 * Whom a message is for where both sides of a connection make calls (RFC 8167). Its XID says
 * nothing about that (RFC 8167-2.4-1): calls of both sides may have the same one at the same time.
 */
public enum Recipient {
    /** A reply, or the failure of a call. */
    REQUESTER,
    /** A call. */
    RESPONDER,
    /** Nothing in the message tells, so it is for whoever was there first. */
    UNKNOWN;

    /** Looks at a whole message; any octets give an answer. */
    public static Recipient of(MemorySegment message) {
        return switch (TransportHeaderCodec.decode(message)) {
            // Only calls are answered with errors (RFC 8166-4.5-7).
            case Decoded.MalformedError _ -> REQUESTER;
            case Decoded.TooShort _, Decoded.UnknownVersion _, Decoded.Malformed _ -> UNKNOWN;
            case Decoded.Ok(var header, var length) ->
                    switch (header) {
                        case VersionError _, ChunkError _ -> REQUESTER;
                        case Done _ -> UNKNOWN;
                        case Msg _ -> Payloads.recipient(message.asSlice(length));
                        // Only a call has a Read list (RFC 8166-4.3.1-2). Without one it is a
                        // reply in a Reply chunk, or a call that makes no sense.
                        case NoMsg(_, _, var chunks) ->
                                chunks.readList().isEmpty() ? UNKNOWN : RESPONDER;
                    };
        };
    }
}
