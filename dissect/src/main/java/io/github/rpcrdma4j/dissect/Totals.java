package io.github.rpcrdma4j.dissect;

import java.util.List;

/**
 * The counts of a connection.
 *
 * @param fpdus frames after the set-up
 * @param sends messages of queue 0
 * @param reads RDMA Reads
 * @param readBytes bytes of Read Responses
 * @param writes RDMA Writes that are not empty
 * @param writeBytes bytes of RDMA Writes
 * @param terminates Terminate messages
 * @param bytesMissing bytes that were not captured, or belong to no frame
 * @param calls calls in both directions
 * @param replies RPC replies
 * @param errors RDMA_ERROR messages
 * @param unanswered calls without a reply or error
 * @param readChunks Read chunks of calls, including Position-Zero Read chunks
 * @param writeChunks Write chunks of calls
 * @param replyChunks Reply chunks of calls
 * @param replyReadChunks Read chunks of replies, whose results the requester fetches
 * @param callsNotJudged calls that were not judged completely by the binding of their program
 * @param repliesNotJudged replies of which that is true
 * @param findings faults found
 * @param procedures the counts per procedure, by name
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
        long replyReadChunks,
        long callsNotJudged,
        long repliesNotJudged,
        long findings,
        List<Procedure> procedures) {
    /**
     * The counts of one procedure.
     *
     * @param name the name of the procedure
     * @param calls how many calls there were
     * @param answered how many calls have an answer
     * @param totalNanos the sum of their times from call to answer, in nanoseconds
     * @param maxNanos the longest of these times, in nanoseconds
     */
    public record Procedure(
            String name, long calls, long answered, long totalNanos, long maxNanos) {
        /** Returns the mean time from call to answer in nanoseconds; 0 without an answer. */
        public long meanNanos() {
            return answered == 0 ? 0 : totalNanos / answered;
        }
    }
}
