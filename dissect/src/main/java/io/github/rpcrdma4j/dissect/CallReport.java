package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A call with all that belongs to it.
 *
 * @param xid of the transaction
 * @param reverse whether the responder of the connection made it (RFC 8167)
 * @param called when its Send came
 * @param form RDMA_MSG or RDMA_NOMSG
 * @param bytes of its Send
 * @param credits that it asks for
 * @param message the call; empty if it could not be read, or lay in a chunk that was not seen
 * @param chunks that it offers, then those of its reply
 * @param done when the RDMA_DONE came that ends it (RFC 5666)
 */
public record CallReport(
        int xid,
        boolean reverse,
        Instant called,
        String form,
        long bytes,
        int credits,
        Optional<RpcMessage.Call> message,
        List<ChunkReport> chunks,
        Optional<Answer> answer,
        Optional<Instant> done) {
    /**
     * How the call was answered.
     *
     * @param form RDMA_MSG, RDMA_NOMSG, ERR_VERS or ERR_CHUNK
     * @param bytes of its Send
     * @param credits that it grants
     * @param invalidates the handle that its Send invalidates
     * @param message the reply; empty if there is none, or it lay in a chunk that was not seen
     */
    public record Answer(
            Instant at,
            String form,
            long bytes,
            int credits,
            Optional<Integer> invalidates,
            Optional<RpcMessage> message) {
        Answer with(RpcMessage fetched) {
            return new Answer(at, form, bytes, credits, invalidates, Optional.of(fetched));
        }
    }

    /** What the call is, in words. */
    public String name() {
        return message.map(RpcMessage.Call::fullName).orElse("a call that cannot be read");
    }

    /** From call to answer in nanoseconds; empty without answer. */
    public Optional<Long> duration() {
        return answer.map(each -> each.at().nanos() - called.nanos());
    }
}
