package io.github.rpcrdma4j.bench.latency;

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

/** A queue pair whose windows and work are counted. */
record CountedPair(QueuePair pair, Tolls tolls) implements QueuePair {
    @Override
    public MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> access) {
        tolls.bound();
        return pair.bind(region, offset, length, access);
    }

    @Override
    public int boundWindows() {
        return pair.boundWindows();
    }

    @Override
    public State state() {
        return pair.state();
    }

    @Override
    public Optional<String> failure() {
        return pair.failure();
    }

    @Override
    public Optional<UnknownHandle> unknownHandle() {
        return pair.unknownHandle();
    }

    @Override
    public InetSocketAddress peer() {
        return pair.peer();
    }

    @Override
    public byte[] connect(InetSocketAddress peer, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException {
        return pair.connect(peer, privateData, timeout);
    }

    @Override
    public void postReceive(long workRequestId, MemoryRegion region, long offset, long length) {
        pair.postReceive(workRequestId, region, offset, length);
    }

    @Override
    public void post(List<WorkRequest> requests) {
        for (var request : requests) {
            tolls.posted(request);
        }
        pair.post(requests);
    }

    @Override
    public void close(Duration grace) {
        pair.close(grace);
    }
}
