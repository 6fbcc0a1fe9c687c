package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Event;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.State;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GroupAssemblyTest {
    private static final int LIMIT = 4;
    private static final int HEADER = 40;

    private static Event arrived(
            int xid, Direction direction, Operation.Transmission operation, OptionalLong limit) {
        var header = new Version2Header.Option(xid, 1, direction, operation);
        long payload = Math.min(operation.payloadLength(), 64) & -4;
        var whole = MemorySegment.ofArray(new byte[HEADER + (int) payload]);
        return new Event.Arrived(
                new Received.Transmission(header, operation, whole, HEADER), limit);
    }

    private static Event request(int xid, long count, long payload) {
        var operation =
                new Operation.TransmitRequest(
                        List.of(), List.of(), count, 1, payload, Optional.empty());
        return arrived(xid, Direction.CALL, operation, OptionalLong.of(LIMIT));
    }

    private static Event response(int xid, long count, OptionalLong limit) {
        var operation = new Operation.TransmitResponse(List.of(), count, 8);
        return arrived(xid, Direction.REPLY, operation, limit);
    }

    private static Event continuation(int xid, long number, int type, long payload) {
        var operation = new Operation.Continuation(number, type, payload);
        return arrived(xid, Direction.CALL, operation, OptionalLong.of(LIMIT));
    }

    private static final TransmissionId OTHER = new TransmissionId(9, Direction.CALL, 0);

    private static Map<String, Event> events() {
        var events = new LinkedHashMap<String, Event>();
        events.put("whole request", request(9, 1, 8));
        events.put("request of 3", request(9, 3, 8));
        events.put("request of 0", request(9, 0, 8));
        events.put("request of 5", request(9, LIMIT + 1, 8));
        events.put("payload beyond", request(9, 1, 100));
        events.put("payload odd", request(9, 1, 6));
        events.put("response of 2", response(9, 2, OptionalLong.of(2)));
        events.put("response of 3", response(9, 3, OptionalLong.of(2)));
        events.put("late response of 1", response(9, 1, OptionalLong.empty()));
        events.put("late response of 2", response(9, 2, OptionalLong.empty()));
        events.put("next", continuation(7, 1, Version2HeaderCodec.XMTREQ, 8));
        events.put("next without payload", continuation(7, 1, Version2HeaderCodec.XMTREQ, 0));
        events.put("next with too much", continuation(7, 1, Version2HeaderCodec.XMTREQ, 72));
        events.put("one later", continuation(7, 2, Version2HeaderCodec.XMTREQ, 8));
        events.put("of another xid", continuation(8, 1, Version2HeaderCodec.XMTREQ, 8));
        events.put("of another type", continuation(7, 1, Version2HeaderCodec.XMTRESP, 8));
        events.put("a message", new Event.Intruder(0, 0, OTHER));
        events.put("an exchange", new Event.Intruder(5, 1, OTHER));
        events.put("a broken header", new Event.Malformed());
        events.put("time", new Event.TimedOut());
        events.put("the end", new Event.ConnectionLost());
        return events;
    }

    private static State open() {
        return GroupAssembly.step(new State.Idle(), request(7, 3, 8)).next();
    }

    private static String show(GroupAssembly.Step step) {
        var actions = step.actions().stream().map(GroupAssemblyTest::show);
        return actions.collect(Collectors.joining(" ")) + " -> " + show(step.next());
    }

    private static String show(State state) {
        return switch (state) {
            case State.Idle() -> "idle";
            case State.Open open ->
                    "open %d %d of %d"
                            .formatted(open.xid(), open.sends().size(), open.initial().count());
            case State.Skip(var xid, _) -> "skip " + xid;
        };
    }

    private static String show(Action action) {
        return switch (action) {
            case Action.Deliver(var group) -> "deliver " + group.sends().size();
            case Action.Release(var parts) -> "release " + parts.size();
            case Action.Complain(var bad, var lead, var fault) ->
                    "complain "
                            + show(bad)
                            + lead.map(id -> " after " + show(id)).orElse("")
                            + ": "
                            + show(fault);
        };
    }

    private static String show(TransmissionId id) {
        return id.xid() + "/" + id.number();
    }

    private static String show(Fault fault) {
        return switch (fault) {
            case Fault.NoGroup() -> "no group";
            case Fault.Unexpected(var what, var expected, var current) ->
                    what + " " + expected + " " + current;
            case Fault.OutOfRange(var what, var value, var min, var max) ->
                    what + " " + value + " " + min + ".." + max;
        };
    }

    private static String table(State state) {
        var rows = new ArrayList<String>();
        events().forEach(
                        (name, event) ->
                                rows.add(name + ": " + show(GroupAssembly.step(state, event))));
        return String.join("\n", rows);
    }

    @Test
    @Tag("RTR-9.5-3")
    @Tag("RTR-9.5-8")
    @Tag("RTR-9.4-4")
    @Tag("RTR-8.4-1")
    @Tag("RTR-X-1")
    void beginsOnlyWhatItCanHold() {
        assertEquals(
                """
                whole request: deliver 1 -> idle
                request of 3:  -> open 9 1 of 3
                request of 0: release 1 complain 9/0: SEQUENCE 4 0 -> skip 9
                request of 5: release 1 complain 9/0: SEQUENCE 4 5 -> skip 9
                payload beyond: release 1 complain 9/0: PAYLOAD 100 0..64 -> skip 9
                payload odd: release 1 complain 9/0: PAYLOAD 6 0..4 -> skip 9
                response of 2:  -> open 9 1 of 2
                response of 3: release 1 complain 9/0: SEQUENCE 2 3 -> skip 9
                late response of 1: release 1 -> idle
                late response of 2: release 1 -> skip 9
                next: release 1 complain 7/1: no group -> idle
                next without payload: release 1 complain 7/1: no group -> idle
                next with too much: release 1 complain 7/1: no group -> idle
                one later: release 1 complain 7/2: no group -> idle
                of another xid: release 1 complain 8/1: no group -> idle
                of another type: release 1 complain 7/1: no group -> idle
                a message:  -> idle
                an exchange:  -> idle
                a broken header:  -> idle
                time:  -> idle
                the end:  -> idle""",
                table(new State.Idle()));
    }

    @Test
    @Tag("RTR-4.2-2")
    @Tag("RTR-4.2-3")
    @Tag("RTR-9.4-1")
    @Tag("RTR-9.4-5")
    @Tag("RTR-9.5-1")
    @Tag("RTR-9.5-2")
    @Tag("RTR-9.5-4")
    @Tag("RTR-9.5-5")
    @Tag("RTR-9.5-10")
    @Tag("RTR-5.4-2")
    @Tag("V2-3.3-2")
    @Tag("RTR-X-2")
    @Tag("RTR-X-4")
    void takesNothingButTheNextIntoAGroup() {
        assertEquals(
                """
                whole request: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 5 deliver 1 -> idle
                request of 3: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 5 -> open 9 1 of 3
                request of 0: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 5 release 1 \
                complain 9/0: SEQUENCE 4 0 -> skip 9
                request of 5: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 5 release 1 \
                complain 9/0: SEQUENCE 4 5 -> skip 9
                payload beyond: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 5 release 1 \
                complain 9/0: PAYLOAD 100 0..64 -> skip 9
                payload odd: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 5 release 1 \
                complain 9/0: PAYLOAD 6 0..4 -> skip 9
                response of 2: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 6 -> open 9 1 of 2
                response of 3: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 6 release 1 \
                complain 9/0: SEQUENCE 2 3 -> skip 9
                late response of 1: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 6 release 1 \
                -> idle
                late response of 2: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 6 release 1 \
                -> skip 9
                next:  -> open 7 2 of 3
                next without payload:  -> open 7 2 of 3
                next with too much: release 1 release 1 complain 7/1 after 7/0: \
                PAYLOAD 72 0..64 -> skip 7
                one later: release 1 release 1 complain 7/2 after 7/0: SEQUENCE 1 2 -> skip 7
                of another xid: release 1 release 1 complain 8/1 after 7/0: XID 7 8 -> skip 7
                of another type: release 1 release 1 complain 7/1 after 7/0: \
                OPTION_TYPE 5 6 -> skip 7
                a message: release 1 complain 9/0 after 7/0: HEADER_TYPE 5 0 -> skip 7
                an exchange: release 1 complain 9/0 after 7/0: OPTION_TYPE 7 1 -> skip 7
                a broken header: release 1 -> skip 7
                time: release 1 complain 7/0 after 7/0: SEQUENCE 1 3 -> idle
                the end: release 1 -> idle""",
                table(open()));
    }

    @Test
    @Tag("RTR-9.5-5")
    void takesNothingOfAnotherXidForTheLastOfAGroupEither() {
        var second = GroupAssembly.step(open(), continuation(7, 1, Version2HeaderCodec.XMTREQ, 8));
        var last = continuation(8, 2, Version2HeaderCodec.XMTREQ, 8);
        assertEquals(
                "release 2 release 1 complain 8/2 after 7/1: XID 7 8 -> skip 7",
                show(GroupAssembly.step(second.next(), last)));
    }

    @Test
    @Tag("RTR-X-4")
    void dropsTheRestOfAGroupThatItGaveUp() {
        assertEquals(
                """
                whole request: deliver 1 -> idle
                request of 3:  -> open 9 1 of 3
                request of 0: release 1 complain 9/0: SEQUENCE 4 0 -> skip 9
                request of 5: release 1 complain 9/0: SEQUENCE 4 5 -> skip 9
                payload beyond: release 1 complain 9/0: PAYLOAD 100 0..64 -> skip 9
                payload odd: release 1 complain 9/0: PAYLOAD 6 0..4 -> skip 9
                response of 2:  -> open 9 1 of 2
                response of 3: release 1 complain 9/0: SEQUENCE 2 3 -> skip 9
                late response of 1: release 1 -> idle
                late response of 2: release 1 -> skip 9
                next: release 1 -> skip 7
                next without payload: release 1 -> skip 7
                next with too much: release 1 -> skip 7
                one later: release 1 -> skip 7
                of another xid: release 1 complain 8/1: no group -> idle
                of another type: release 1 -> skip 7
                a message:  -> idle
                an exchange:  -> idle
                a broken header:  -> idle
                time:  -> skip 7
                the end:  -> idle""",
                table(new State.Skip(7, Direction.CALL)));
    }

    @Test
    @Tag("RTR-9.4-3")
    void deliversAGroupWithItsLast() {
        var second = GroupAssembly.step(open(), continuation(7, 1, Version2HeaderCodec.XMTREQ, 8));
        var third =
                GroupAssembly.step(
                        second.next(), continuation(7, 2, Version2HeaderCodec.XMTREQ, 8));
        assertEquals("deliver 3 -> idle", show(third));
    }

    @Test
    @Tag("RTR-9.5-10")
    @Tag("V2-4.2.2-5")
    void complainsUnderTheXidOfTheSubject() {
        var step = GroupAssembly.step(open(), new Event.Intruder(0, 0, OTHER));
        var complaint = (Action.Complain) step.actions().getLast();
        assertEquals(7, complaint.xid());
        assertEquals(Direction.REPLY, complaint.direction());
        var alone = GroupAssembly.step(new State.Idle(), response(9, 3, OptionalLong.of(2)));
        var other = (Action.Complain) alone.actions().getLast();
        assertEquals(9, other.xid());
        assertEquals(Direction.CALL, other.direction());
    }
}
