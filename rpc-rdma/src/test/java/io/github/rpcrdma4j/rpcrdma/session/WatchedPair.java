package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A queue pair that shows posted work to a test.
 *
 * @param watched the real queue pair
 * @param watcher accepts each batch of work requests before it is posted, and may change it
 * @param windows replaces each bound window
 */
record WatchedPair(
        QueuePair watched, Consumer<List<WorkRequest>> watcher, UnaryOperator<MemoryWindow> windows)
        implements QueuePair {
    WatchedPair(QueuePair watched, Consumer<List<WorkRequest>> watcher) {
        this(watched, watcher, UnaryOperator.identity());
    }

    @Override
    public void post(List<WorkRequest> requests) {
        watcher.accept(requests);
        watched.post(requests);
    }

    @Override
    public void postReceive(long workRequestId, MemoryRegion region, long offset, long length) {
        watched.postReceive(workRequestId, region, offset, length);
    }

    @Override
    public MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> access) {
        return windows.apply(watched.bind(region, offset, length, access));
    }

    @Override
    public int boundWindows() {
        return watched.boundWindows();
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
    public Optional<InetSocketAddress> local() {
        return watched.local();
    }

    @Override
    public void close(Duration grace) {
        watched.close(grace);
    }
}
