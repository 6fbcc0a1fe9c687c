package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.session.Offer;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure.Group;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server of version 2 places a result by any directions; our own requesters use few of
 * them. Method: the test plays a client, over iWARP, that asks for one result.
 */
class DirectionsByHandTest {
    private static final int CREDITS = 8;
    private static final int PAYLOAD_BYTES = 4096;
    private static final int PLACE_BYTES = 8192;
    private static final int RECEIVE_BYTES = PAYLOAD_BYTES + PLACE_BYTES;

    /** The bytes of a reply before the data of its result: a header, a word, and the length. */
    private static final int BEFORE_DATA = 24 + 4 + 4;

    private static final int MEMORY = 6000;

    private ServerUnderTest test;
    private Offer memory;
    private int xid = 1;

    /**
     * @param places whether the receives of the client have segments for bulk data
     */
    private void begin(boolean places) throws Exception {
        begin(Version2.DEFAULT, places, new Group(1, PLACE_BYTES, 0, Group.PLACEMENT));
    }

    private void begin(Version2 version2, boolean places, Group... groups) throws Exception {
        test =
                new ServerUnderTest(
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .credits(CREDITS)
                                .build()
                                .withProfile(new Version2Profile(version2)),
                        RECEIVE_BYTES);
        var all = new ArrayList<>(List.of(groups));
        all.addFirst(new Group(1, PAYLOAD_BYTES, 0, 0));
        var announced = new ArrayList<Characteristic>();
        announced.add(new Characteristic.ReceiveSize(places ? RECEIVE_BYTES : PAYLOAD_BYTES));
        announced.add(new Characteristic.Transmissions(7 | Characteristic.Transmissions.TRAILER));
        if (places) {
            announced.add(
                    new Characteristic.ReceiveStructure(new BufferStructure(RECEIVE_BYTES, all)));
        }
        test.introduce(announced.toArray(Characteristic[]::new));
    }

    @AfterEach
    void end() {
        test.close();
    }

    private List<Segment> memory() {
        memory = test.client.offer(MEMORY, Access.REMOTE_WRITE);
        return List.of(new Segment(memory.handle(), MEMORY, memory.address()));
    }

    private ManualPeer.ReceivedMessage ask(int length, List<ResponseSet> directions)
            throws Exception {
        return ask(length, directions, Optional.empty());
    }

    private ManualPeer.ReceivedMessage ask(
            int length, List<ResponseSet> directions, Optional<Operation.Trailer> trailer)
            throws Exception {
        xid++;
        byte[] payload = test.rpc(xid, EchoProgram.FETCH, out -> out.uint32(length).uint32(xid));
        var request = new TransmitRequest(List.of(), directions, 1, 1, payload.length, trailer);
        test.say(xid, request, payload);
        return test.client.receive();
    }

    private static ResponseSet set(long begin, long end, ResponseSet.ExpectedResult... items) {
        return new ResponseSet(begin, end, List.of(items));
    }

    private static ResponseSet.ExpectedResult item(long minimum, Target target) {
        return new ResponseSet.ExpectedResult(minimum, target);
    }

    /**
     * Returns where the result of a call was placed, for each target, and checks its bytes there.
     */
    private List<String> places(int length, ResponseSet... sets) throws Exception {
        var heard = ask(length, List.of(sets));
        var option = assertInstanceOf(Version2Header.Option.class, header(heard));
        assertEquals(xid, option.xid());
        assertEquals(Direction.REPLY, option.direction());
        var response = assertInstanceOf(TransmitResponse.class, option.operation());
        // The message is a reply.
        assertEquals(1, Version2ByHand.payload(heard).getInt(Integer.BYTES));
        assertEquals(1, response.count());
        byte[] expected = EchoProgram.pattern(length, xid);
        byte[] all = heard.bytes();
        int payloadAt = option.encodedLength();
        var places = new ArrayList<String>();
        boolean isMoved = false;
        for (var moved : response.moved()) {
            byte[] found =
                    switch (moved.location()) {
                        case Location.Explicit _ -> {
                            places.add("memory");
                            yield memory.segment()
                                    .asSlice(0, length)
                                    .toArray(ValueLayout.JAVA_BYTE);
                        }
                        case Location.Numbered(var offset, var numbers) -> {
                            places.add("receive");
                            assertEquals(0, offset);
                            assertEquals(0, numbers.getFirst());
                            yield Arrays.copyOfRange(all, PAYLOAD_BYTES, PAYLOAD_BYTES + length);
                        }
                        case Location.TooShort _ -> {
                            places.add("too short");
                            yield null;
                        }
                        case Location.NoItem _ -> {
                            places.add("none");
                            yield null;
                        }
                    };
            if (found != null) {
                isMoved = true;
                assertEquals(new PlacementItem(BEFORE_DATA, length, moved.location()), moved);
                assertArrayEquals(expected, found);
            }
        }
        if (isMoved) {
            assertEquals(BEFORE_DATA, response.payloadLength());
        } else {
            int at = payloadAt + BEFORE_DATA;
            assertArrayEquals(expected, Arrays.copyOfRange(all, at, at + length));
        }
        return places;
    }

    private List<Long> numbers(int length) throws Exception {
        var directions = List.of(set(0, 4, item(1, new Target.Numbered())));
        assertEquals(List.of("receive"), places(length, directions.getFirst()));
        var response = operation(TransmitResponse.class, header(ask(length, directions)));
        var place = response.moved().getFirst().location();
        return assertInstanceOf(Location.Numbered.class, place).numbers();
    }

    private String place(int length, long minimum, Target target) throws Exception {
        return places(length, set(0, 4, item(minimum, target))).getFirst();
    }

    @Test
    @Tag("RTR-3.4-3")
    @Tag("RTR-7.4-8")
    @Tag("RTR-6.2-5")
    @Tag("RTR-9.3-1")
    @Tag("V2-4.2.2-4")
    void obeysWhatIsDemandedAndChoosesWhereItMay() throws Exception {
        begin(true);
        assertEquals("memory", place(1000, 1, new Target.Explicit(memory())));
        assertEquals("receive", place(1000, 1, new Target.Numbered()));
        assertEquals("receive", place(1000, 1, new Target.Choice(memory())));
    }

    @Test
    @Tag("RTR-3.4-3")
    @Tag("RTR-3.4-4")
    @Tag("RTR-5.3-2")
    @Tag("RTR-7.4-8")
    void writesToMemoryWhereReceivesHaveNoPlacementSegments() throws Exception {
        begin(false);
        assertEquals("memory", place(1000, 1, new Target.Explicit(memory())));
        assertEquals("too short", place(1000, 1, new Target.Numbered()));
        assertEquals("memory", place(1000, 1, new Target.Choice(memory())));
        assertEquals("memory", place(1000, 1, new Target.BySize(2000, memory())));
    }

    @Test
    @Tag("RTR-3.4-2")
    @Tag("RTR-6.2-5")
    @Tag("RTR-6.2-6")
    @Tag("RTR-7.4-4")
    @Tag("RTR-7.4-9")
    void placesByTheLengthThatAResultHas() throws Exception {
        begin(true);
        assertEquals("receive", place(1000, 1, new Target.BySize(1000, memory())));
        assertEquals("memory", place(1001, 1, new Target.BySize(1000, memory())));
        assertEquals("too short", place(99, 100, new Target.Explicit(memory())));
        assertEquals("memory", place(100, 100, new Target.Explicit(memory())));
        assertEquals("too short", place(99, 100, new Target.Numbered()));
        assertEquals("receive", place(100, 100, new Target.Numbered()));
        assertEquals("too short", place(99, 100, new Target.BySize(10, memory())));
        // If the responder may choose, a result that is too long for the memory travels by Send.
        assertEquals("receive", place(MEMORY + 1, 1, new Target.BySize(1000, memory())));
        var demanded = set(0, 4, item(1, new Target.Explicit(memory())));
        var refused = header(ask(MEMORY + 1, List.of(demanded)));
        assertEquals(xid, assertInstanceOf(Version2Header.BadHeader.class, refused).xid());
    }

    /**
     * Goal: directions apply to a reply that is no group. Method: the client has complained about
     * the groups of the server.
     */
    @Test
    @Tag("RTR-3.4-3")
    @Tag("RTR-7.4-8")
    @Tag("RPR-4.1-4")
    void writesToTheMemoryOfAnyTargetIfTheReplyIsNoGroup() throws Exception {
        begin(true);
        for (int i = 0; i < GroupErrors.IN_A_ROW_MAX; i++) {
            assertEquals("receive", place(1000, 1, new Target.Numbered()));
            var bad = new TransmissionId(xid, Direction.REPLY, 0);
            test.say(xid, new TransmitError(bad, Optional.empty(), new Fault.NoGroup()));
            assertInstanceOf(Version2Header.BadHeader.class, test.hear());
        }
        for (var target :
                List.of(
                        new Target.Explicit(memory()),
                        new Target.Choice(memory()),
                        new Target.BySize(500, memory()),
                        new Target.BySize(2000, memory()))) {
            var trailer = new Operation.Trailer(Optional.of(memory()), List.of());
            var directions = List.of(set(0, 4, item(1, target)));
            var heard = header(ask(1000, directions, Optional.of(trailer)));
            var chunks = assertInstanceOf(Version2Header.NoMsg.class, heard).chunks();
            assertEquals(1000, chunks.writeList().getFirst().size(), target::toString);
        }
    }

    /** The only result of the program belongs to an operation at 0. */
    @Test
    @Tag("RTR-3.4-1")
    @Tag("RTR-7.4-1")
    @Tag("RTR-7.4-6")
    @Tag("RTR-7.4-7")
    @Tag("RTR-7.4-10")
    void usesTheTargetsOfItsOperationAlone() throws Exception {
        begin(true);
        var numbered = item(1, new Target.Numbered());
        assertEquals(List.of("none"), places(1000, set(4, 8, numbered)));
        assertEquals(
                List.of("none", "none"), places(1000, set(4, 8, numbered), set(8, 12, numbered)));
        assertEquals(
                List.of("memory", "none", "none"),
                places(
                        1000,
                        set(0, 4, item(1, new Target.Explicit(memory())), numbered),
                        set(8, 12, numbered)));
        assertEquals(List.of("none"), places(1000, set(0, 4), set(4, 8, numbered)));
        // The first target is used up.
        assertEquals(
                List.of("too short", "none"),
                places(99, set(0, 4, item(100, new Target.Numbered()), numbered)));
    }

    @Test
    @Tag("RTR-7.4-6")
    @Tag("RTR-9.5-7")
    @Tag("RTR-5.4-2")
    void complainsAboutRangesThatOverlap() throws Exception {
        begin(true);
        for (long begin : new long[] {3, 0}) {
            var heard =
                    ask(
                            1000,
                            List.of(
                                    set(0, 4, item(1, new Target.Numbered())),
                                    set(begin, 8, item(1, new Target.Numbered()))));
            var option = assertInstanceOf(Version2Header.Option.class, header(heard));
            var error = assertInstanceOf(TransmitError.class, option.operation());
            var fault = assertInstanceOf(Fault.OutOfRange.class, error.fault());
            assertEquals(Fault.Measure.OFFSET, fault.what());
            assertEquals(begin, fault.value());
        }
        assertEquals("receive", place(1000, 1, new Target.Numbered()));
    }

    @Test
    @Tag("RTR-5.3-4")
    void placesResultsForAClientThoughItTakesNoneItself() throws Exception {
        var taking = new Version2.Transmissions(8, 8, 0, 0, Version2.TransferPolicy.CHEAPEST);
        begin(
                Version2.DEFAULT.withTransmissions(taking),
                true,
                new Group(1, PLACE_BYTES, 0, Group.PLACEMENT));
        assertEquals("receive", place(1000, 1, new Target.Numbered()));
        assertEquals("memory", place(1000, 1, new Target.Explicit(memory())));
    }

    /** Two groups: three segments of a quarter, and one with the rest. */
    @Test
    @Tag("RTR-7.2-1")
    void countsSegmentsThroughAllGroups() throws Exception {
        int quarter = PLACE_BYTES / 4;
        begin(
                Version2.DEFAULT,
                true,
                new Group(3, quarter, 0, Group.PLACEMENT),
                new Group(1, PLACE_BYTES - 3 * quarter, 0, Group.PLACEMENT));
        assertEquals(List.of(0L), numbers(quarter));
        assertEquals(List.of(0L, 1L), numbers(quarter + 1));
        assertEquals(List.of(0L, 1L, 2L), numbers(3 * quarter));
        assertEquals(List.of(0L, 1L, 2L, 3L), numbers(PLACE_BYTES));
    }
}
