package io.github.rpcrdma4j.rpcrdma.v2.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Knowledge;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.State;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Wanted;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Examples;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class VersionProbeTest {
    private static Map<String, Event> events() {
        var events = new LinkedHashMap<String, Event>();
        events.put("connected", new Event.Connected());
        events.put("answered", new Event.Answered());
        events.put("introduced", new Event.Introduced());
        events.put("no option", new Event.OptionRefused());
        events.put("speaks 1", new Event.VersionRefused(1, 1));
        events.put("speaks 1 to 9", new Event.VersionRefused(1, 9));
        events.put("speaks 3 to -1", new Event.VersionRefused(3, -1));
        events.put("lost", new Event.ConnectionLost());
        events.put("silent", new Event.TimedOut());
        return events;
    }

    private static String table(State state) {
        var rows = new ArrayList<String>();
        events().forEach(
                        (name, event) -> {
                            var step = VersionProbe.step(state, event);
                            var next = step.next().equals(state) ? "same" : show(step.next());
                            if (!next.equals("same") || !step.actions().isEmpty()) {
                                rows.add(name + ": " + show(step.actions()) + " -> " + next);
                            }
                        });
        return String.join("\n", rows);
    }

    private static String show(List<Action> actions) {
        return actions.stream()
                .map(
                        action ->
                                switch (action) {
                                    case Action.SendExchange() -> "exchange";
                                    case Action.SendCalls(var version) -> "calls" + version;
                                    case Action.OpenWindow() -> "open";
                                    case Action.RememberVersion1() -> "remember";
                                    case Action.Reconnect() -> "reconnect";
                                    case Action.FailCalls() -> "fail";
                                })
                .collect(Collectors.joining(" "));
    }

    private static String show(State state) {
        return switch (state) {
            case State.Idle(_, _, var is1) -> is1 ? "idle, speaks 1" : "idle";
            case State.Probing _ -> "probing";
            case State.Version2(_, _, var knowledge) -> "2 " + knowledge;
            case State.Version1 _ -> "1";
            case State.Closed() -> "closed";
        };
    }

    @Test
    @Tag("V2-5-1")
    @Tag("XCH-4.1-4")
    void beginsWithOneShortMessage() {
        assertEquals(
                "connected: exchange -> probing", table(new State.Idle(Wanted.AUTO, true, false)));
        assertEquals(
                "connected: calls2 -> probing", table(new State.Idle(Wanted.AUTO, false, false)));
        assertEquals(
                "connected: exchange -> probing", table(new State.Idle(Wanted.ONLY_2, true, true)));
        assertEquals("connected: calls1 -> 1", table(new State.Idle(Wanted.AUTO, true, true)));
        assertEquals("connected: calls1 -> 1", table(new State.Idle(Wanted.ONLY_1, true, false)));
        assertEquals("", table(new State.Closed()));
        assertTrue(Examples.message("E05").byteSize() <= VersionProbe.FIRST_MESSAGE_MAX);
    }

    @Test
    @Tag("V2-5-2")
    @Tag("V2-5.1-1")
    @Tag("V2-5.2-2")
    @Tag("V2-5.2-3")
    @Tag("RTR-2-1")
    void findsOutWithoutLosingACall() {
        assertEquals(
                """
                answered: open calls2 -> 2 SENT
                introduced: open calls2 -> 2 KNOWN
                no option: calls2 -> 2 UNSUPPORTED
                speaks 1: remember calls1 -> 1
                speaks 1 to 9: remember calls1 -> 1
                speaks 3 to -1: fail -> closed
                lost: remember reconnect -> idle, speaks 1
                silent: remember reconnect -> idle, speaks 1""",
                table(new State.Probing(Wanted.AUTO, true)));
        assertEquals(
                """
                answered: open calls2 -> 2 NONE
                introduced: open calls2 -> 2 KNOWN
                no option: calls2 -> 2 UNSUPPORTED
                speaks 1: fail -> closed
                speaks 1 to 9: fail -> closed
                speaks 3 to -1: fail -> closed
                lost: reconnect -> idle
                silent: reconnect -> idle""",
                table(new State.Probing(Wanted.ONLY_2, false)));
    }

    @Test
    @Tag("XCH-4.1-2")
    void staysWithTheVersionOfAConnection() {
        assertEquals(
                """
                answered: open -> same
                introduced: open -> 2 KNOWN
                no option:  -> 2 UNSUPPORTED
                lost:  -> idle""",
                table(new State.Version2(Wanted.AUTO, true, Knowledge.SENT)));
        assertEquals("lost:  -> idle, speaks 1", table(new State.Version1(Wanted.AUTO, true)));
        assertEquals("lost:  -> idle", table(new State.Version1(Wanted.ONLY_1, true)));
    }

    @Test
    @Tag("V2-4.2-3")
    @Tag("V2-5.3-1")
    void tellsClientsByTheirFirstMessage() {
        var names = List.of("E01", "E04", "E05", "E29", "E30", "E32", "E33", "E34", "E35");
        assertEquals(
                List.of(
                        FirstMessage.VERSION_2,
                        FirstMessage.VERSION_2,
                        FirstMessage.VERSION_2,
                        FirstMessage.VERSION_1,
                        FirstMessage.VERSION_1,
                        FirstMessage.LATER_DRAFT,
                        FirstMessage.LATER_DRAFT,
                        FirstMessage.LATER_DRAFT,
                        FirstMessage.LATER_DRAFT),
                names.stream().map(Examples::message).map(FirstMessage::of).toList());
        var none = MemorySegment.ofArray(new byte[16]);
        assertEquals(FirstMessage.OTHER_VERSION, FirstMessage.of(none));
        assertEquals(FirstMessage.TOO_SHORT, FirstMessage.of(none.asSlice(0, 15)));
    }
}
