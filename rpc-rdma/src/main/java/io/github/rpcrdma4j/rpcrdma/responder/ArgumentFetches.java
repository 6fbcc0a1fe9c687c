package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ReadQueue;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/** Fetches arguments from Read chunks. Guarded by the lock of the connection. */
final class ArgumentFetches {
    private final Endpoint endpoint;
    private final ReadQueue reads;
    private final Guard guard;

    ArgumentFetches(Endpoint endpoint, Guard guard) {
        this.endpoint = endpoint;
        this.reads = new ReadQueue(endpoint);
        this.guard = guard;
    }

    /** Limits the number of RDMA Reads outstanding at a time to what the peer answers. */
    void limit(int most) {
        reads.limit(most);
    }

    /**
     * Starts to fetch the arguments of a call, into memory of the call.
     *
     * @param fetched takes the chunks when all of them have arrived; never if the connection ends
     *     first
     * @return false if there is no memory for them; nothing is fetched then
     */
    boolean start(ServedCall call, Consumer<List<ReadChunk>> fetched) {
        var execution = call.execution();
        var arrival = call.arrival();
        var inline = execution.message();
        ReadQueue.Message message;
        try {
            message =
                    ReadQueue.Message.of(
                            call.chunks().readList(),
                            execution.message(),
                            arrival.items(),
                            call::lease,
                            endpoint.memory());
        } catch (BudgetExhaustedException _) {
            return false;
        }
        execution.arguments(
                message.stream(), arrival.placements(message.placements()), message.items());
        reads.post(message.reads(), new Fetch(call, inline, message.chunks(), fetched));
        return true;
    }

    /** The callback for the RDMA Reads of a call. */
    private final class Fetch implements Endpoint.Ending {
        private final ServedCall call;
        private final MemorySegment inline;
        private final List<ReadChunk> chunks;
        private final Consumer<List<ReadChunk>> fetched;

        Fetch(
                ServedCall call,
                MemorySegment inline,
                List<ReadChunk> chunks,
                Consumer<List<ReadChunk>> fetched) {
            this.call = call;
            this.inline = inline;
            this.chunks = chunks;
            this.fetched = fetched;
        }

        @Override
        public void ended(boolean succeeded) {
            if (succeeded) {
                fetched.accept(chunks);
            }
        }

        @Override
        public void refused() {
            // The receives of the call are still its own.
            guard.broke(CallMark.of(call.xid(), call.chunks(), inline));
        }
    }
}
