package io.github.rpcrdma4j.iwarp.mpa;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StartUpTest {
    @Test
    @Tag("5044-7.1.2-4")
    void takesTheseSteps() {
        var table = new ArrayList<String>();
        for (var state : StartUp.values()) {
            for (var event : StartUp.Event.values()) {
                var step = state.on(event);
                table.add(state + " " + event + " -> " + step.next() + " " + step.actions());
            }
        }
        assertEquals(
                List.of(
                        "SILENT POSTED -> SENDING [START_TIMER]",
                        "SILENT RECEIVED -> FLOWING []",
                        "SILENT TIMED_OUT -> SILENT []",
                        "SENDING POSTED -> SENDING []",
                        "SENDING RECEIVED -> FLOWING []",
                        "SENDING TIMED_OUT -> SENDING [SEND_EMPTY_WRITE]",
                        "HELD POSTED -> HELD []",
                        "HELD RECEIVED -> FLOWING [RELEASE]",
                        "HELD TIMED_OUT -> HELD []",
                        "FLOWING POSTED -> FLOWING []",
                        "FLOWING RECEIVED -> FLOWING []",
                        "FLOWING TIMED_OUT -> FLOWING []"),
                table);
    }

    @Test
    void theInitiatorSendsFirst() {
        assertEquals(StartUp.SILENT, StartUp.of(true));
        assertEquals(StartUp.HELD, StartUp.of(false));
    }
}
