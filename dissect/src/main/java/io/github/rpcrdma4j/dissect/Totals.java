package io.github.rpcrdma4j.dissect;

import java.util.List;

/**
 * Counts over a connection.
 *
 * @param fpdus frames behind the set-up
 * @param sends messages of queue 0
 * @param reads RDMA Reads
 * @param readBytes bytes of Read Responses
 * @param writes RDMA Writes with bytes in them
 * @param writeBytes bytes of RDMA Writes
 * @param terminates Terminate messages
 * @param bytesMissing bytes that were not captured, or belong to no frame
 * @param calls in both directions
 * @param replies RPC replies
 * @param errors RDMA_ERROR messages
 * @param unanswered calls without reply or error
 * @param readChunks offered in calls, Position-Zero Read chunks among them
 * @param writeChunks offered in calls
 * @param replyChunks offered in calls
 * @param findings what was found wrong
 * @param procedures by name
 */
public record Totals(
        long fpdus,
        long sends,
        long reads,
        long readBytes,
        long writes,
        long writeBytes,
        long terminates,
        long bytesMissing,
        long calls,
        long replies,
        long errors,
        long unanswered,
        long readChunks,
        long writeChunks,
        long replyChunks,
        long findings,
        List<Procedure> procedures) {
    /**
     * What was called how often.
     *
     * @param answered calls that have an answer
     * @param totalNanos over those
     * @param maxNanos of them
     */
    public record Procedure(
            String name, long calls, long answered, long totalNanos, long maxNanos) {
        /** The mean from call to answer in nanoseconds; 0 without answer. */
        public long meanNanos() {
            return answered == 0 ? 0 : totalNanos / answered;
        }
    }
}
