package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.Endpoint;
import java.util.List;

/**
 * An iWARP connection.
 *
 * @param number counted over the TCP connections of the capture, from 1
 * @param initiator who sent the MPA request, or was heard of first
 * @param whole whether it was captured from its set-up on
 * @param frames all that happened, in order
 * @param framesLeftOut frames beyond those that a report lists
 * @param calls in the order in which they were made
 * @param callsLeftOut calls beyond those that a report lists
 */
public record ConnectionReport(
        int number,
        Endpoint initiator,
        Endpoint responder,
        boolean whole,
        List<FrameReport> frames,
        long framesLeftOut,
        List<CallReport> calls,
        long callsLeftOut,
        Totals totals) {}
