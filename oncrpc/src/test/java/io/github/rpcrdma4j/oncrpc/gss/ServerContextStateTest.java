package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ServerContextStateTest {
    /**
     * Goal: show the whole state machine on one screen. Method: apply every event in every state.
     */
    @Test
    void takesTheseSteps() {
        var table =
                Arrays.stream(ServerContextState.values())
                        .flatMap(
                                state ->
                                        Arrays.stream(ServerContextState.Event.values())
                                                .map(event -> row(state, event)))
                        .collect(Collectors.joining("\n"));
        assertEquals(
                """
                BEGUN + TOKEN -> BEGUN [STEP]
                BEGUN + MORE_NEEDED -> NEGOTIATING [STORE, ANSWER]
                BEGUN + COMPLETE -> ESTABLISHED [STORE, ANSWER_SIGNED]
                BEGUN + FAILED -> GONE [FORGET, ANSWER_REFUSAL]
                BEGUN + CALL -> BEGUN [DENY_CREDENTIAL]
                BEGUN + UNSIGNED -> BEGUN [DENY_CREDENTIAL]
                BEGUN + FRESH -> BEGUN [DENY_CREDENTIAL]
                BEGUN + STALE -> BEGUN [DENY_CREDENTIAL]
                BEGUN + BEYOND -> BEGUN [DENY_CREDENTIAL]
                BEGUN + DESTROY -> BEGUN [DENY_CREDENTIAL]
                BEGUN + EXPIRED -> GONE [FORGET]
                NEGOTIATING + TOKEN -> NEGOTIATING [STEP]
                NEGOTIATING + MORE_NEEDED -> NEGOTIATING [ANSWER]
                NEGOTIATING + COMPLETE -> ESTABLISHED [STORE, ANSWER_SIGNED]
                NEGOTIATING + FAILED -> GONE [FORGET, ANSWER_REFUSAL]
                NEGOTIATING + CALL -> NEGOTIATING [DENY_CREDENTIAL]
                NEGOTIATING + UNSIGNED -> NEGOTIATING [DENY_CREDENTIAL]
                NEGOTIATING + FRESH -> NEGOTIATING [DENY_CREDENTIAL]
                NEGOTIATING + STALE -> NEGOTIATING [DENY_CREDENTIAL]
                NEGOTIATING + BEYOND -> NEGOTIATING [DENY_CREDENTIAL]
                NEGOTIATING + DESTROY -> NEGOTIATING [DENY_CREDENTIAL]
                NEGOTIATING + EXPIRED -> GONE [FORGET]
                ESTABLISHED + TOKEN -> ESTABLISHED [DENY_CREDENTIAL]
                ESTABLISHED + MORE_NEEDED -> ESTABLISHED [DENY_CREDENTIAL]
                ESTABLISHED + COMPLETE -> ESTABLISHED [DENY_CREDENTIAL]
                ESTABLISHED + FAILED -> ESTABLISHED [DENY_CREDENTIAL]
                ESTABLISHED + CALL -> ESTABLISHED [VERIFY]
                ESTABLISHED + UNSIGNED -> ESTABLISHED [DENY_CREDENTIAL]
                ESTABLISHED + FRESH -> ESTABLISHED [SERVE]
                ESTABLISHED + STALE -> ESTABLISHED [DROP]
                ESTABLISHED + BEYOND -> ESTABLISHED [DENY_CONTEXT]
                ESTABLISHED + DESTROY -> GONE [FORGET, CONFIRM]
                ESTABLISHED + EXPIRED -> GONE [FORGET]
                GONE + TOKEN -> GONE [DENY_CREDENTIAL]
                GONE + MORE_NEEDED -> GONE [DENY_CREDENTIAL]
                GONE + COMPLETE -> GONE [DENY_CREDENTIAL]
                GONE + FAILED -> GONE [DENY_CREDENTIAL]
                GONE + CALL -> GONE [DENY_CREDENTIAL]
                GONE + UNSIGNED -> GONE [DENY_CREDENTIAL]
                GONE + FRESH -> GONE [DENY_CREDENTIAL]
                GONE + STALE -> GONE [DENY_CREDENTIAL]
                GONE + BEYOND -> GONE [DENY_CREDENTIAL]
                GONE + DESTROY -> GONE [DENY_CREDENTIAL]
                GONE + EXPIRED -> GONE []""",
                table);
    }

    private static String row(ServerContextState state, ServerContextState.Event event) {
        var step = state.on(event);
        return state + " + " + event + " -> " + step.next() + " " + step.actions();
    }
}
