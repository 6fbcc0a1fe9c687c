package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage.Checked;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Preference;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Result;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Examples;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Goal: layout, assembly and checks fit together. Method: the READ of the examples is answered with
 * results of many lengths, by its directions, and the requester checks the answer.
 */
class WholeCallTest {
    private static final BufferLayout LAYOUT = BufferLayout.of(Examples.STRUCTURE).orElseThrow();

    private static TransmitRequest request() {
        var actions = RandomLayout.assemble(List.of(Examples.message("E14")), 1);
        var deliver = assertInstanceOf(Action.Deliver.class, actions.getLast());
        return assertInstanceOf(TransmitRequest.class, deliver.group().initial());
    }

    @Test
    void givesTheExampleOfAPlacedResponse() {
        var example = Examples.message("E15");
        var payload = example.asSlice(68, 44);
        var data = example.asSlice(512, 3000);
        var sends = respond(request(), payload, 44, data);
        assertEquals(1, sends.size());
        assertArrayEquals(
                withCredits(example).toArray(ValueLayout.JAVA_BYTE),
                sends.getFirst().toArray(ValueLayout.JAVA_BYTE));
    }

    /** Sets the credits to 1, as in the responses of this test. */
    private static MemorySegment withCredits(MemorySegment message) {
        message.set(ValueLayout.JAVA_BYTE, 11, (byte) 1);
        return message;
    }

    @Test
    void bringsResultsOfEveryLengthThatIsPlaced() {
        var request = request();
        var payload = Examples.message("E15").asSlice(68, 44);
        for (int length = 256; length <= 4096; length += 7) {
            var data = MemorySegment.ofArray(new byte[length]);
            data.fill((byte) length);
            var actions = RandomLayout.assemble(respond(request, payload, 44, data), 2);
            var deliver = assertInstanceOf(Action.Deliver.class, actions.getLast());
            var group = deliver.group();
            assertEquals(
                    Optional.empty(),
                    ResponseCheck.faultOfItems(request.directions(), group.initial().moved()));
            var good = assertInstanceOf(Checked.Good.class, PlacedMessage.check(group, LAYOUT));
            var item = good.message().items().getFirst();
            assertArrayEquals(
                    data.toArray(ValueLayout.JAVA_BYTE), RandomLayout.joined(item.pieces()));
        }
    }

    private static List<MemorySegment> respond(
            TransmitRequest request, MemorySegment payload, long displacement, MemorySegment data) {
        var results = List.of(new Result(0, displacement, data.byteSize()));
        var placed =
                ResponsePlacement.of(request.directions(), results, true, Preference.SEND)
                        .orElseThrow();
        var plan =
                SendPlan.of(
                                LAYOUT,
                                payload.byteSize(),
                                List.of(data.byteSize()),
                                counts -> Version2HeaderCodec.encodedLength(sized(counts)),
                                (int) request.responseMax())
                        .orElseThrow();
        var moved = placed.moved(results, plan.numbers());
        var sends = new ArrayList<MemorySegment>();
        int count = plan.transmissions().size();
        for (int t = 0; t < count; t++) {
            long length = plan.transmissions().get(t).payloadLength();
            var header =
                    option(
                            t == 0
                                    ? new TransmitResponse(moved, count, length)
                                    : new Operation.Continuation(
                                            t, Version2HeaderCodec.XMTRESP, length));
            var encoded =
                    MemorySegment.ofArray(new byte[Version2HeaderCodec.encodedLength(header)]);
            Version2HeaderCodec.encode(header, encoded);
            var out = new ByteArrayOutputStream();
            out.writeBytes(encoded.toArray(ValueLayout.JAVA_BYTE));
            plan.pieces(t, RandomLayout.whole(payload), List.of(data))
                    .forEach(piece -> out.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE)));
            sends.add(MemorySegment.ofArray(out.toByteArray()));
        }
        return sends;
    }

    private static Version2Header option(Operation operation) {
        return new Version2Header.Option(0xa008, 1, Direction.REPLY, operation);
    }

    private static Version2Header sized(List<Integer> counts) {
        var numbers = Collections.nCopies(counts.getFirst(), 0L);
        var item = new PlacementItem(0, 0, new Location.Numbered(0, numbers));
        return option(new TransmitResponse(List.of(item), 0, 0));
    }
}
