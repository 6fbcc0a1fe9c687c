package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.connection.ChunkReads;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ReadQueue;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Fetches the Read chunks of calls by RDMA Read, within a budget of octets for the connection and
 * what its client is allowed: calls beyond it wait their turn. Guarded by the lock of the
 * connection.
 */
final class Fetcher {
    private final ReadQueue reads;
    private final ConnectionMemory memory;
    private final long callBytesMax;
    private final Allowance allowance;
    private final Consumer<ServedCall> fetched;
    private final Consumer<ServedCall> refused;
    private final ArrayDeque<ServedCall> waiting = new ArrayDeque<>();
    private long budget;

    /**
     * @param reads by which they are posted
     * @param callBytesMax the most octets of one call
     * @param connectionBytesMax the most octets held at a time for all calls
     * @param allowance of the client
     * @param fetched told when all chunks of a call are here
     * @param refused told when the requester let nobody read them, which ends the connection
     */
    Fetcher(
            ReadQueue reads,
            ConnectionMemory memory,
            long callBytesMax,
            long connectionBytesMax,
            Allowance allowance,
            Consumer<ServedCall> fetched,
            Consumer<ServedCall> refused) {
        this.reads = reads;
        this.memory = memory;
        this.callBytesMax = callBytesMax;
        this.budget = connectionBytesMax;
        this.allowance = allowance;
        this.fetched = fetched;
        this.refused = refused;
    }

    /** Whether a call's Read chunks stay within the limit of one call (RFC 8166-8.1.4-1). */
    boolean accepts(ServedCall call) {
        return bytes(call) <= callBytesMax;
    }

    /** Fetches what the call moved apart, now or when the budget allows. */
    void fetch(ServedCall call) {
        waiting.addLast(call);
        fetchWaiting();
    }

    /** Tries again with calls that had to wait. */
    void resume() {
        fetchWaiting();
    }

    /** A fetched call does not need its memory any more. */
    void done(ServedCall call) {
        budget += call.fetchedBytes();
        call.fetches(0);
        fetchWaiting();
    }

    /** The reply of a call is on its way: of its memory its results alone are held. */
    void answered(ServedCall call) {
        if (call.isInProgress()) {
            long results = call.charge() - bytes(call);
            call.charge(false, results);
            allowance.answered(bytes(call));
        }
    }

    /** Nothing of a call is held any more. */
    void release(ServedCall call) {
        long held = call.charge();
        boolean inProgress = call.isInProgress();
        call.charge(false, 0);
        if (inProgress) {
            allowance.answered(held);
        } else if (held > 0) {
            allowance.give(held);
        }
    }

    /** The connection is gone: nothing is fetched any more. */
    void stop() {
        waiting.clear();
        allowance.close();
    }

    /** What a call may come to hold: what is fetched for it, and its results. */
    private long charge(ServedCall call) {
        long results = 0;
        for (var chunk : call.chunks().writeList()) {
            results += chunk.size();
        }
        if (call.chunks().replyChunk().isPresent()) {
            results += call.chunks().replyChunk().get().size();
        }
        results += call.arrival().offeredBytes();
        return bytes(call) + Math.min(results, callBytesMax);
    }

    private void fetchWaiting() {
        while (!waiting.isEmpty()
                && bytes(waiting.getFirst()) <= budget
                && allowance.take(charge(waiting.getFirst()))) {
            var call = waiting.removeFirst();
            call.charge(true, charge(call));
            long bytes = bytes(call);
            budget -= bytes;
            call.fetches(bytes);
            start(call);
        }
    }

    private void start(ServedCall call) {
        if (call.chunks().readList().isEmpty() && call.arrival().items().isEmpty()) {
            fetched.accept(call);
            return;
        }
        var chunkReads =
                ChunkReads.of(
                        call.chunks().readList(),
                        call.payload(),
                        call.arrival().items(),
                        call::lease,
                        memory);
        call.fetched(chunkReads.message(), chunkReads.placements(), chunkReads.items());
        if (chunkReads.reads().isEmpty()) {
            fetched.accept(call);
            return;
        }
        reads.post(
                chunkReads.reads(),
                new Endpoint.Ending() {
                    @Override
                    public void ended(boolean succeeded) {
                        if (succeeded) {
                            fetched.accept(call);
                        }
                    }

                    @Override
                    public void refused() {
                        refused.accept(call);
                    }
                });
    }

    private static long bytes(ServedCall call) {
        long bytes = 0;
        for (var read : call.chunks().readList()) {
            bytes += read.target().size();
        }
        return bytes;
    }
}
