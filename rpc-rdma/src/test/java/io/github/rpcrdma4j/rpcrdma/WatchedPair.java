package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A queue pair that somebody looks at when work is posted.
 *
 * @param watched does the work
 * @param watcher sees it before, and may change what is sent
 */
record WatchedPair(QueuePair watched, Consumer<List<WorkRequest>> watcher) implements QueuePair {
    @Override
    public void post(List<WorkRequest> requests) {
        watcher.accept(requests);
        watched.post(requests);
    }

    @Override
    public void postReceive(long workRequestId, MemorySegment buffer) {
        watched.postReceive(workRequestId, buffer);
    }

    @Override
    public byte[] connect(InetSocketAddress peer, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException {
        return watched.connect(peer, privateData, timeout);
    }

    @Override
    public State state() {
        return watched.state();
    }

    @Override
    public Optional<String> failure() {
        return watched.failure();
    }

    @Override
    public Optional<UnknownHandle> unknownHandle() {
        return watched.unknownHandle();
    }

    @Override
    public InetSocketAddress peer() {
        return watched.peer();
    }

    @Override
    public void close(Duration grace) {
        watched.close(grace);
    }
}
