package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunkHold;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RemoteInvalidation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RequestTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ResponseTransmissions;
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
public record CharacteristicsMessages(InitialExchange first, List<Update> later) {
    public CharacteristicsMessages {
        later = List.copyOf(later);
    }

    /**
     * Creates the messages.
     *
     * @param max the most bytes of the exchange with its header; {@link FirstMessage#BYTES_MAX} if
     *     it is the first message
     */
    public static CharacteristicsMessages of(LocalCharacteristics local, int max) {
        var start = all(local);
        var later = new ArrayList<Update>();
        // Only the structure can get long; all else together is short.
        if (length(exchange(start)) > max) {
            start.stream()
                    .filter(ReceiveStructure.class::isInstance)
                    .forEach(structure -> later.add(new Update(structure, false)));
            start.removeIf(ReceiveStructure.class::isInstance);
        }
        return new CharacteristicsMessages(exchange(start), later);
    }

    private static List<Characteristic> all(LocalCharacteristics local) {
        var all = new ArrayList<Characteristic>();
        all.add(new ReceiveSize(local.receives().length()));
        all.add(new RemoteInvalidation(local.acceptsInvalidation()));
        all.add(new ReverseSupport(local.reverse()));
        if (local.transmissions() != 0) {
            all.add(new Transmissions(local.transmissions()));
            // RTR-5.3-3: sent regardless of what the peer accepts.
            all.add(new ReceiveStructure(local.receives()));
            all.add(new RequestTransmissions(local.requestMax()));
            all.add(new ResponseTransmissions(local.responseMax()));
        }
        if (local.readChunks() != 0) {
            all.add(new ReadChunks(local.readChunks()));
        }
        if (local.readChunkHoldMillis() != 0) {
            all.add(new ReadChunkHold(local.readChunkHoldMillis()));
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
