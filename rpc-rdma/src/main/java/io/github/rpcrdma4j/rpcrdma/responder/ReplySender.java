package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Posts replies and errors behind their headers. Guarded by the lock of the connection. */
final class ReplySender {
    private final Endpoint endpoint;
    private final SegmentPool pool;

    ReplySender(Endpoint endpoint, SegmentPool pool) {
        this.endpoint = endpoint;
        this.pool = pool;
    }

    /**
     * Posts a header alone.
     *
     * @param sent told when it was sent; never if the connection is lost before
     */
    void post(Frame header, Runnable sent) {
        var part = new ResponderEdition.Part(header, List.of());
        post(List.of(), List.of(part), OptionalInt.empty(), sent);
    }

    /**
     * Posts a reply.
     *
     * @param writes before the Sends
     * @param invalidate the handle that the Sends invalidate
     * @param sent told when all was sent; never if the connection is lost before
     */
    void post(
            List<WorkRequest> writes,
            List<ResponderEdition.Part> sends,
            OptionalInt invalidate,
            Runnable sent) {
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
                    if (succeeded) {
                        sent.run();
                    }
                });
    }
}
