package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LeadershipTest {
    /** Goal: one table shows the whole state machine. Method: every event in every state. */
    @Test
    void followsTheTransitionTable() {
        var table =
                Arrays.stream(Leadership.values())
                        .flatMap(
                                state ->
                                        Arrays.stream(Leadership.Event.values())
                                                .map(event -> row(state, event)))
                        .collect(Collectors.joining("\n"));
        assertEquals(
                """
                FREE + WAITS -> POLLED [LEAD]
                FREE + RETURNS -> FREE []
                FREE + LEAVES -> FREE [WAKE_FOLLOWER]
                FREE + HURRIES -> POLLED [LEAD]
                FREE + CLOSES -> CLOSED [CLOSE_QUEUE]
                POLLED + WAITS -> POLLED [FOLLOW]
                POLLED + RETURNS -> FREE [HANDLE]
                POLLED + LEAVES -> POLLED []
                POLLED + HURRIES -> POLLED [WAKE_LEADER, FOLLOW]
                POLLED + CLOSES -> CLOSING [WAKE_LEADER]
                CLOSING + WAITS -> CLOSING [FOLLOW]
                CLOSING + RETURNS -> CLOSED [CLOSE_QUEUE, HANDLE]
                CLOSING + LEAVES -> CLOSING []
                CLOSING + HURRIES -> CLOSING [FOLLOW]
                CLOSING + CLOSES -> CLOSING []
                CLOSED + WAITS -> CLOSED [FOLLOW]
                CLOSED + RETURNS -> CLOSED []
                CLOSED + LEAVES -> CLOSED []
                CLOSED + HURRIES -> CLOSED [FOLLOW]
                CLOSED + CLOSES -> CLOSED []""",
                table);
    }

    private static String row(Leadership state, Leadership.Event event) {
        var step = state.on(event);
        return state + " + " + event + " -> " + step.next() + " " + step.actions();
    }
}
