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
                        "SILENT POSTED -> SENDING [WATCH]",
                        "SILENT HEARD -> FLOWING []",
                        "SILENT TIME_IS_UP -> SILENT []",
                        "SENDING POSTED -> SENDING []",
                        "SENDING HEARD -> FLOWING []",
                        "SENDING TIME_IS_UP -> SENDING [KICK]",
                        "HELD POSTED -> HELD []",
                        "HELD HEARD -> FLOWING [RELEASE]",
                        "HELD TIME_IS_UP -> HELD []",
                        "FLOWING POSTED -> FLOWING []",
                        "FLOWING HEARD -> FLOWING []",
                        "FLOWING TIME_IS_UP -> FLOWING []"),
                table);
    }

    @Test
    void theInitiatorSendsFirst() {
        assertEquals(StartUp.SILENT, StartUp.of(true));
        assertEquals(StartUp.HELD, StartUp.of(false));
    }
}
