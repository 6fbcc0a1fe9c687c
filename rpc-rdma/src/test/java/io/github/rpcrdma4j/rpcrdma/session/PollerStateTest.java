package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PollerStateTest {
    /** Goal: one table shows the whole state machine. Method: every event in every state. */
    @Test
    void followsTheTransitionTable() {
        var table =
                Arrays.stream(PollerState.values())
                        .flatMap(
                                state ->
                                        Arrays.stream(PollerState.Event.values())
                                                .map(event -> row(state, event)))
                        .collect(Collectors.joining("\n"));
        assertEquals(
                """
                POLLS + NEXT -> RUNS_CALL []
                POLLS + DONE -> POLLS []
                POLLS + LATE -> POLLS []
                POLLS + STOPS -> ENDED [HAND_OVER]
                RUNS_CALL + NEXT -> RUNS_CALL []
                RUNS_CALL + DONE -> POLLS []
                RUNS_CALL + LATE -> RELIEVED [HAND_OVER]
                RUNS_CALL + STOPS -> RELIEVED [HAND_OVER, INTERRUPT]
                RELIEVED + NEXT -> ENDED []
                RELIEVED + DONE -> ENDED []
                RELIEVED + LATE -> RELIEVED []
                RELIEVED + STOPS -> RELIEVED [INTERRUPT]
                ENDED + NEXT -> ENDED []
                ENDED + DONE -> ENDED []
                ENDED + LATE -> ENDED []
                ENDED + STOPS -> ENDED []""",
                table);
    }

    private static String row(PollerState state, PollerState.Event event) {
        var step = state.on(event);
        return state + " + " + event + " -> " + step.next() + " " + step.actions();
    }
}
