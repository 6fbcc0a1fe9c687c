package io.github.rpcrdma4j.rdmacore;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.Consumer;

/** Runs all steps that end something, also those after a step that fails. */
final class Steps {
    private Steps() {}

    /** Runs all steps, in order. Then throws what the first failed one threw. */
    static void runAll(Runnable... steps) {
        forEach(Arrays.asList(steps), Runnable::run);
    }

    /** Runs a step for all elements, in order. Then throws what the first failed one threw. */
    static <T> void forEach(Collection<T> all, Consumer<? super T> step) {
        Throwable first = null;
        for (var each : all) {
            try {
                step.accept(each);
            } catch (RuntimeException | Error failure) {
                if (first == null) {
                    first = failure;
                } else if (failure != first) {
                    first.addSuppressed(failure);
                }
            }
        }
        switch (first) {
            case null -> {}
            case RuntimeException failure -> throw failure;
            case Error failure -> throw failure;
            default -> throw new AssertionError(first);
        }
    }
}
