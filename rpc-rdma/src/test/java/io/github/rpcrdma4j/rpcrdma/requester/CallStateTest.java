package io.github.rpcrdma4j.rpcrdma.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CallStateTest {
    /** Goal: one table shows the whole state machine. Method: every event in every state. */
    @Test
    @Tag("8166-4.4.1-1")
    @Tag("8166-8.1.3-1")
    void followsTheTransitionTable() {
        var table =
                Arrays.stream(CallState.values())
                        .flatMap(
                                state ->
                                        Arrays.stream(CallState.Event.values())
                                                .map(event -> row(state, event)))
                        .collect(Collectors.joining("\n"));
        assertEquals(
                """
                WAITING + CREDIT -> OUTSTANDING [SEND]
                WAITING + ANSWERED -> WAITING []
                WAITING + CANCELLED -> FINISHED [FENCE, FORGET, COMPLETE]
                WAITING + LOST -> FINISHED [FENCE, FORGET, COMPLETE]
                OUTSTANDING + CREDIT -> OUTSTANDING []
                OUTSTANDING + ANSWERED -> FINISHED [FENCE, RETURN_CREDIT, FORGET, COMPLETE]
                OUTSTANDING + CANCELLED -> ABANDONED [FENCE, COMPLETE]
                OUTSTANDING + LOST -> FINISHED [FENCE, RETURN_CREDIT, FORGET, COMPLETE]
                ABANDONED + CREDIT -> ABANDONED []
                ABANDONED + ANSWERED -> FINISHED [RETURN_CREDIT, FORGET]
                ABANDONED + CANCELLED -> ABANDONED []
                ABANDONED + LOST -> FINISHED [RETURN_CREDIT, FORGET]
                FINISHED + CREDIT -> FINISHED []
                FINISHED + ANSWERED -> FINISHED []
                FINISHED + CANCELLED -> FINISHED []
                FINISHED + LOST -> FINISHED []""",
                table);
    }

    private static String row(CallState state, CallState.Event event) {
        var step = state.on(event);
        return state + " + " + event + " -> " + step.next() + " " + step.actions();
    }
}
