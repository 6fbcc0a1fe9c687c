package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A call, its chunks and its answer.
 *
 * @param xid the XID of the call
 * @param reverse whether the responder of the connection sent the call (RFC 8167)
 * @param called when its Send arrived
 * @param form RDMA_MSG or RDMA_NOMSG
 * @param bytes the bytes of its Send
 * @param credits the credits that it asks for
 * @param message the call; empty if it could not be decoded, or was in a chunk that was not
 *     captured
 * @param notJudged why not all of the message was judged; empty if all was
 * @param chunks the chunks that it offers, then the Read chunks of its reply
 * @param answer its reply or error; empty if there is none
 * @param done when the RDMA_DONE for it arrived (RFC 5666)
 */
public record CallReport(
        int xid,
        boolean reverse,
        Instant called,
        String form,
        long bytes,
        int credits,
        Optional<RpcMessage.Call> message,
        Optional<String> notJudged,
        List<ChunkReport> chunks,
        Optional<Answer> answer,
        Optional<Instant> done) {
    /**
     * The answer to a call.
     *
     * @param at when its Send arrived
     * @param form RDMA_MSG, RDMA_NOMSG, ERR_VERS or ERR_CHUNK
     * @param bytes the bytes of its Send
     * @param credits the credits that it grants
     * @param invalidates the handle that its Send invalidates
     * @param message the reply; empty if there is none, or it was in a chunk that was not captured
     * @param notJudged why not all of the reply was judged; empty if all was, or for an error
     */
    public record Answer(
            Instant at,
            String form,
            long bytes,
            int credits,
            Optional<Integer> invalidates,
            Optional<RpcMessage> message,
            Optional<String> notJudged) {
        Answer with(RpcMessage fetched) {
            return new Answer(
                    at,
                    form,
                    bytes,
                    credits,
                    invalidates,
                    Optional.of(fetched),
                    fetched.notJudged());
        }
    }

    /** Returns the name of the procedure, with the operations of a COMPOUND. */
    public String name() {
        return message.map(RpcMessage.Call::fullName).orElse("a call that cannot be read");
    }

    /** Returns the nanoseconds from call to answer; empty without an answer. */
    public Optional<Long> duration() {
        return answer.map(each -> each.at().nanos() - called.nanos());
    }
}
