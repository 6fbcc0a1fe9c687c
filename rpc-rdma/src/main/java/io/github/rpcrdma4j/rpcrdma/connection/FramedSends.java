package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Posts messages behind their headers. Guarded by the lock of the connection. */
public final class FramedSends {
    /**
     * One Send.
     *
     * @param inline what follows the header; held by whoever posts it until the end
     */
    public record Part(Frame header, List<MemorySegment> inline) {}

    /**
     * Data that goes to a segment of the peer by RDMA Write.
     *
     * @param data where it lies, piece by piece; as long as the segment, or shorter
     * @param target memory of the peer
     */
    public record ChunkWrite(List<MemorySegment> data, Segment target) {}

    private final Endpoint endpoint;

    public FramedSends(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Posts a header alone.
     *
     * @param sent told when it was sent; never if the connection is lost before
     */
    public void post(Frame header, Runnable sent) {
        var part = new Part(header, List.of());
        post(List.of(), List.of(part), OptionalInt.empty(), sent);
    }

    /**
     * Posts a message of one Send or more.
     *
     * @param writes before the Sends
     * @param invalidate the handle that the Sends invalidate
     * @param sent told when all was sent; never if the connection is lost before
     */
    public void post(
            List<ChunkWrite> writes, List<Part> sends, OptionalInt invalidate, Runnable sent) {
        postAll(
                writes,
                sends,
                invalidate,
                succeeded -> {
                    if (succeeded) {
                        sent.run();
                    }
                });
    }

    /**
     * The same, for whoever has something to do also when the connection is lost before.
     *
     * @param writes before the Sends
     * @param invalidate the handle that the Sends invalidate
     * @param ending told when all was sent, or never will be
     */
    public void postAll(
            List<ChunkWrite> writes,
            List<Part> sends,
            OptionalInt invalidate,
            Endpoint.Ending ending) {
        var held = new WorkMemory(endpoint.memory());
        List<WorkRequest> batch;
        try {
            batch = requests(writes, sends, invalidate, held);
        } catch (RuntimeException | Error failure) {
            held.close();
            throw failure;
        }
        int from = 0;
        // More than a batch takes are RDMA Writes of many small pieces.
        for (; batch.size() - from > Endpoint.BATCH_MAX; from += Endpoint.BATCH_MAX) {
            endpoint.post(batch.subList(from, from + Endpoint.BATCH_MAX), _ -> {});
        }
        endpoint.post(
                batch.subList(from, batch.size()),
                succeeded -> {
                    held.close();
                    ending.ended(succeeded);
                });
    }

    private static List<WorkRequest> requests(
            List<ChunkWrite> writes, List<Part> sends, OptionalInt invalidate, WorkMemory held) {
        var batch = new ArrayList<WorkRequest>(writes.size() + sends.size());
        for (var write : writes) {
            held.write(write, batch);
        }
        for (int i = 0; i < sends.size(); i++) {
            var part = sends.get(i);
            boolean isLast = i == sends.size() - 1;
            batch.add(
                    new WorkRequest.Send(
                            0,
                            held.message(part.header(), part.inline()),
                            invalidate,
                            isLast ? Signal.QUIET : Signal.UNSIGNALED));
        }
        return batch;
    }
}
