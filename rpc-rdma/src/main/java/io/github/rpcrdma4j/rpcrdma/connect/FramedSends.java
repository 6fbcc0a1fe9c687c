package io.github.rpcrdma4j.rpcrdma.connect;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
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

    private final Endpoint endpoint;
    private final SegmentPool pool;

    public FramedSends(Endpoint endpoint, SegmentPool pool) {
        this.endpoint = endpoint;
        this.pool = pool;
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
            List<WorkRequest> writes, List<Part> sends, OptionalInt invalidate, Runnable sent) {
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
            List<WorkRequest> writes,
            List<Part> sends,
            OptionalInt invalidate,
            Endpoint.Ending ending) {
        var batch = new ArrayList<>(writes);
        var buffers = new ArrayList<SegmentPool.Lease>(sends.size());
        for (var part : sends) {
            var buffer = pool.lease(part.header().encodedLength());
            part.header().encode(buffer.segment());
            buffers.add(buffer);
            var gather = new ArrayList<MemorySegment>(part.inline().size() + 1);
            gather.add(buffer.segment());
            gather.addAll(part.inline());
            batch.add(new WorkRequest.Send(0, gather, invalidate));
        }
        endpoint.post(
                batch,
                succeeded -> {
                    buffers.forEach(SegmentPool.Lease::close);
                    ending.ended(succeeded);
                });
    }
}
