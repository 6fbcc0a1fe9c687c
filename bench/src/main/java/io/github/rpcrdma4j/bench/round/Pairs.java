package io.github.rpcrdma4j.bench.round;

import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.worker.Pair;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The processes of all stacks. Each pair starts when it is first needed. */
public final class Pairs implements AutoCloseable {
    private final List<String> javaOptions;
    private final Map<Stack, Pair> pairs = new EnumMap<>(Stack.class);
    private boolean closed;

    /**
     * @param javaOptions options of every process, besides the default ones
     */
    public Pairs(List<String> javaOptions) {
        this.javaOptions = javaOptions;
        // Also closes after an interrupt; otherwise files of a gigabyte would stay in memory.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::closeAtEnd));
    }

    public synchronized Pair of(Stack stack) throws IOException {
        if (closed) {
            throw new IOException("the run was stopped");
        }
        var pair = pairs.get(stack);
        if (pair == null) {
            pair = Pair.start(stack, javaOptions);
            pairs.put(stack, pair);
        }
        return pair;
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        for (var pair : pairs.values()) {
            pair.close();
        }
        pairs.clear();
    }

    private void closeAtEnd() {
        try {
            close();
        } catch (IOException _) {
            // The process ends, so there is no caller to report to.
        }
    }
}
