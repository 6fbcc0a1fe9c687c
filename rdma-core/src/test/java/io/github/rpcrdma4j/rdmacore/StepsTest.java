package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepsTest {
    private final List<String> done = new ArrayList<>();
    private final AssertionError first = new AssertionError("first");
    private final IllegalStateException second = new IllegalStateException("second");

    private Runnable failing(String name, Error failure) {
        return () -> {
            done.add(name);
            throw failure;
        };
    }

    @Test
    void allStepsRunInOrder() {
        Steps.runAll(() -> done.add("a"), () -> done.add("b"));
        Steps.forEach(List.of("c", "d"), done::add);
        assertEquals(List.of("a", "b", "c", "d"), done);
    }

    @Test
    void theStepsAfterAFailedOneRunToo() {
        var thrown =
                assertThrows(
                        AssertionError.class,
                        () ->
                                Steps.runAll(
                                        failing("a", first),
                                        () -> {
                                            throw second;
                                        },
                                        () -> done.add("c")));
        assertSame(first, thrown);
        assertArrayEquals(new Throwable[] {second}, thrown.getSuppressed());
        assertEquals(List.of("a", "c"), done);
    }

    @Test
    void oneFailureThatFailsTwoStepsIsThrownOnce() {
        var thrown =
                assertThrows(
                        AssertionError.class,
                        () -> Steps.runAll(failing("a", first), failing("b", first)));
        assertSame(first, thrown);
        assertEquals(0, thrown.getSuppressed().length);
        assertEquals(List.of("a", "b"), done);
    }
}
