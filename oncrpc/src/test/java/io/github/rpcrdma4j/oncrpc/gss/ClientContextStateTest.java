package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ClientContextStateTest {
    /**
     * Goal: show the whole state machine on one screen. Method: apply every event in every state.
     */
    @Test
    void takesTheseSteps() {
        var table =
                Arrays.stream(ClientContextState.values())
                        .flatMap(
                                state ->
                                        Arrays.stream(ClientContextState.Event.values())
                                                .map(event -> row(state, event)))
                        .collect(Collectors.joining("\n"));
        assertEquals(
                """
                ABSENT + WANTED -> NEGOTIATING [INITIATE]
                ABSENT + MORE_NEEDED -> ABSENT []
                ABSENT + COMPLETE -> ABSENT []
                ABSENT + FAILED -> ABSENT []
                ABSENT + REJECTED -> ABSENT []
                ABSENT + USED_UP -> ABSENT []
                ABSENT + CLOSE -> CLOSED []
                NEGOTIATING + WANTED -> NEGOTIATING []
                NEGOTIATING + MORE_NEEDED -> NEGOTIATING [CONTINUE]
                NEGOTIATING + COMPLETE -> ESTABLISHED [USE]
                NEGOTIATING + FAILED -> ABSENT [RETIRE, FAIL]
                NEGOTIATING + REJECTED -> NEGOTIATING []
                NEGOTIATING + USED_UP -> NEGOTIATING []
                NEGOTIATING + CLOSE -> CLOSED [RETIRE, FAIL]
                ESTABLISHED + WANTED -> ESTABLISHED [USE]
                ESTABLISHED + MORE_NEEDED -> ESTABLISHED []
                ESTABLISHED + COMPLETE -> ESTABLISHED []
                ESTABLISHED + FAILED -> ESTABLISHED []
                ESTABLISHED + REJECTED -> ABSENT [RETIRE]
                ESTABLISHED + USED_UP -> ABSENT [RETIRE]
                ESTABLISHED + CLOSE -> CLOSED [DESTROY, RETIRE]
                CLOSED + WANTED -> CLOSED [FAIL]
                CLOSED + MORE_NEEDED -> CLOSED []
                CLOSED + COMPLETE -> CLOSED []
                CLOSED + FAILED -> CLOSED []
                CLOSED + REJECTED -> CLOSED []
                CLOSED + USED_UP -> CLOSED []
                CLOSED + CLOSE -> CLOSED []""",
                table);
    }

    private static String row(ClientContextState state, ClientContextState.Event event) {
        var step = state.on(event);
        return state + " + " + event + " -> " + step.next() + " " + step.actions();
    }
}
