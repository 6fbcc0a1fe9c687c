package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.Endpoint;
import java.util.List;

/**
 * An iWARP connection.
 *
 * @param number its number among the TCP connections of the capture, from 1
 * @param initiator the side that sent the MPA request; without set-up, the TCP client
 * @param responder the other side
 * @param whole whether it was captured from its set-up on
 * @param frames its frames and other events, in order
 * @param framesLeftOut how many frames exceed the limit of a report
 * @param calls its calls, in the order of sending
 * @param callsLeftOut how many calls exceed the limit of a report
 * @param totals its counts
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
