package io.github.rpcrdma4j.rpcrdma.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ServedStateTest {
    /** Goal: one table shows the whole state machine. Method: every event in every state. */
    @Test
    void followsTheTransitionTable() {
        var table =
                Arrays.stream(ServedState.values())
                        .flatMap(
                                state ->
                                        Arrays.stream(ServedState.Event.values())
                                                .map(event -> row(state, event)))
                        .collect(Collectors.joining("\n"));
        assertEquals(
                """
                FETCHING + FETCHED -> RUNNING [RUN]
                FETCHING + REFUSED -> REPLYING [REPLY]
                FETCHING + ANSWERED -> impossible
                FETCHING + DROPPED -> impossible
                FETCHING + SENT -> impossible
                FETCHING + LOST -> FINISHED [RELEASE]
                RUNNING + FETCHED -> impossible
                RUNNING + REFUSED -> impossible
                RUNNING + ANSWERED -> REPLYING [REPLY]
                RUNNING + DROPPED -> FINISHED [DISCARD, RELEASE]
                RUNNING + SENT -> impossible
                RUNNING + LOST -> ORPHANED []
                ORPHANED + FETCHED -> impossible
                ORPHANED + REFUSED -> impossible
                ORPHANED + ANSWERED -> FINISHED [RELEASE]
                ORPHANED + DROPPED -> FINISHED [RELEASE]
                ORPHANED + SENT -> impossible
                ORPHANED + LOST -> ORPHANED []
                REPLYING + FETCHED -> impossible
                REPLYING + REFUSED -> impossible
                REPLYING + ANSWERED -> impossible
                REPLYING + DROPPED -> impossible
                REPLYING + SENT -> FINISHED [RELEASE]
                REPLYING + LOST -> FINISHED [RELEASE]
                FINISHED + FETCHED -> impossible
                FINISHED + REFUSED -> impossible
                FINISHED + ANSWERED -> impossible
                FINISHED + DROPPED -> impossible
                FINISHED + SENT -> impossible
                FINISHED + LOST -> FINISHED []""",
                table);
    }

    private static String row(ServedState state, ServedState.Event event) {
        try {
            var step = state.on(event);
            return state + " + " + event + " -> " + step.next() + " " + step.actions();
        } catch (AssertionError impossible) {
            return state + " + " + event + " -> impossible";
        }
    }
}
