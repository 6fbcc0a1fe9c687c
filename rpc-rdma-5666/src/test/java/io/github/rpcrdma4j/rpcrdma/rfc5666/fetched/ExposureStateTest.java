package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ExposureStateTest {
    /** Goal: the whole behaviour fits one screen. Method: every state gets every event. */
    @Test
    void takesTheseSteps() {
        var table =
                Arrays.stream(ExposureState.values())
                        .flatMap(
                                state ->
                                        Arrays.stream(ExposureState.Event.values())
                                                .map(event -> row(state, event)))
                        .collect(Collectors.joining("\n"));
        assertEquals(
                """
                ANNOUNCING + SENT -> EXPOSED []
                ANNOUNCING + DONE -> SETTLED [FENCE]
                ANNOUNCING + LOST -> FINISHED [FENCE, RELEASE]
                EXPOSED + SENT -> impossible
                EXPOSED + DONE -> FINISHED [FENCE, RELEASE]
                EXPOSED + LOST -> FINISHED [FENCE, RELEASE]
                SETTLED + SENT -> FINISHED [RELEASE]
                SETTLED + DONE -> impossible
                SETTLED + LOST -> FINISHED [RELEASE]
                FINISHED + SENT -> impossible
                FINISHED + DONE -> impossible
                FINISHED + LOST -> FINISHED []""",
                table);
    }

    private static String row(ExposureState state, ExposureState.Event event) {
        try {
            var step = state.on(event);
            return state + " + " + event + " -> " + step.next() + " " + step.actions();
        } catch (AssertionError impossible) {
            return state + " + " + event + " -> impossible";
        }
    }
}
