package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.VersionProbe.Event;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Examples;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class VersionProbeTest {
    @Test
    @Tag("V2-5.1-1")
    @Tag("V2-5.2-2")
    @Tag("V2-5.2-3")
    @Tag("RTR-2-1")
    @Tag("XCH-4.1-2")
    void findsTheVersionOnce() {
        var rows = new ArrayList<String>();
        for (var state : VersionProbe.values()) {
            for (var event : Event.values()) {
                if (state.isOver()) {
                    assertEquals(state, state.on(event));
                } else {
                    rows.add(state + " " + event + " " + state.on(event));
                }
            }
        }
        assertEquals(
                """
                EITHER ANSWERED VERSION_2
                EITHER SPEAKS_1 VERSION_1
                EITHER SPEAKS_OTHERS NONE
                EITHER NO_ANSWER VERSION_1_NEW_CONNECTION
                ONLY_2 ANSWERED VERSION_2
                ONLY_2 SPEAKS_1 NONE
                ONLY_2 SPEAKS_OTHERS NONE
                ONLY_2 NO_ANSWER SILENT""",
                String.join("\n", rows));
    }

    /** A server under load needs longer than a client should wait that has another version. */
    @Test
    void aClientOfVersion2AloneWaitsAsLongAsForAConnection() {
        assertEquals(3_000_000_000L, VersionProbe.EITHER.patienceNanos(20_000_000_000L));
        assertEquals(1, VersionProbe.EITHER.patienceNanos(1));
        assertEquals(20_000_000_000L, VersionProbe.ONLY_2.patienceNanos(20_000_000_000L));
    }

    @Test
    @Tag("V2-5.2-2")
    void looksForVersionOneInTheRangeOfAnError() {
        assertEquals(Event.SPEAKS_1, Event.refused(1, 1));
        assertEquals(Event.SPEAKS_1, Event.refused(0, -1));
        assertEquals(Event.SPEAKS_OTHERS, Event.refused(3, -1));
        assertEquals(Event.SPEAKS_OTHERS, Event.refused(0, 0));
    }

    @Test
    @Tag("V2-4.2-3")
    @Tag("V2-5.3-1")
    void classifiesClientsByTheirFirstMessage() {
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
