package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunkHold;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RemoteInvalidation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RequestTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ResponseTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReverseSupport;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Update;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The messages in which an endpoint sends its characteristics. The first exchange has all that
 * matters (XCH-4.1-1). What does not fit follows in updates, once the peer accepts longer messages
 * (XCH-4.1-4).
 *
 * @param first the exchange; with its header no longer than was allowed
 * @param later the updates, in this order
 */
public record CharacteristicsOffer(InitialExchange first, List<Update> later) {
    /**
     * The characteristics of an endpoint.
     *
     * @param receives how its receive buffers are built; their length is also its receive size, so
     *     the two agree (RTR-8.3-1)
     * @param takesInvalidation whether it accepts Send With Invalidate as a requester
     * @param reverse how far it serves calls in the reverse direction
     * @param transmissions bits of {@link Transmissions}
     * @param requestMax the most transmissions of a request that it accepts
     * @param responseMax the most transmissions of a response that it makes
     * @param readChunks bits of {@link ReadChunks}
     * @param readChunkHoldMillis how long it keeps a Read chunk, in milliseconds; 0 is not sent
     */
    public record Own(
            BufferStructure receives,
            boolean takesInvalidation,
            Reverse reverse,
            int transmissions,
            long requestMax,
            long responseMax,
            int readChunks,
            long readChunkHoldMillis) {}

    public CharacteristicsOffer {
        later = List.copyOf(later);
    }

    /**
     * Creates the messages.
     *
     * @param max the most bytes of the exchange with its header; {@link FirstMessage#BYTES_MAX} if
     *     it is the first message
     */
    public static CharacteristicsOffer of(Own own, int max) {
        var start = all(own);
        var later = new ArrayList<Update>();
        // Only the structure can get long; all else together is short.
        if (length(exchange(start)) > max) {
            start.stream()
                    .filter(ReceiveStructure.class::isInstance)
                    .forEach(structure -> later.add(new Update(structure, false)));
            start.removeIf(ReceiveStructure.class::isInstance);
        }
        return new CharacteristicsOffer(exchange(start), later);
    }

    private static List<Characteristic> all(Own own) {
        var all = new ArrayList<Characteristic>();
        all.add(new ReceiveSize(own.receives().length()));
        all.add(new RemoteInvalidation(own.takesInvalidation()));
        all.add(new ReverseSupport(own.reverse()));
        if (own.transmissions() != 0) {
            all.add(new Transmissions(own.transmissions()));
            // RTR-5.3-3: sent regardless of what the peer accepts.
            all.add(new ReceiveStructure(own.receives()));
            all.add(new RequestTransmissions(own.requestMax()));
            all.add(new ResponseTransmissions(own.responseMax()));
        }
        if (own.readChunks() != 0) {
            all.add(new ReadChunks(own.readChunks()));
        }
        if (own.readChunkHoldMillis() != 0) {
            all.add(new ReadChunkHold(own.readChunkHoldMillis()));
        }
        return all;
    }

    /**
     * Returns the exchange. Only the receive size and structure and the reverse support may change
     * later.
     */
    private static InitialExchange exchange(List<Characteristic> start) {
        var fixed =
                IntStream.range(0, start.size())
                        .filter(
                                i ->
                                        !(start.get(i) instanceof ReceiveSize)
                                                && !(start.get(i) instanceof ReverseSupport)
                                                && !(start.get(i) instanceof ReceiveStructure));
        return new InitialExchange(start, Subset.of(fixed.toArray()));
    }

    private static int length(InitialExchange exchange) {
        return Version2HeaderCodec.encodedLength(
                new Version2Header.Option(0, 0, Direction.CALL, exchange));
    }
}
