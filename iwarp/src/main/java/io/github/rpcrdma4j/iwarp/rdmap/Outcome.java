package io.github.rpcrdma4j.iwarp.rdmap;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.UnknownHandle.Use;
import java.util.Optional;

/** The result of one turn of reading. */
public sealed interface Outcome {
    /** Nothing had arrived. */
    record Nothing() implements Outcome {}

    /** Bytes were read. The socket is now empty, or other connections get their turn. */
    record More() implements Outcome {}

    /** The peer closed its side: between two frames (orderly), or in the middle of one. */
    record Closed(boolean orderly) implements Outcome {}

    /**
     * The peer violated the protocol.
     *
     * @param offender the segment that did; null if it is not known
     */
    record Broken(Fault fault, Terminate.Offender offender) implements Outcome {
        /** Returns the handle that the peer used, if it names no region of this side. */
        public Optional<UnknownHandle> unknownHandle() {
            if (fault == Fault.READ_INVALID_STAG) {
                return unknown(Use.READ, offender.read().sourceStag());
            }
            // A Read Response with a wrong sink is excluded: a sink handle never names a region.
            if (fault == Fault.WRITE_INVALID_STAG
                    && offender.header() instanceof DdpSegment.Tagged header
                    && header.opcode() == DdpSegment.WRITE) {
                return unknown(Use.WRITE, header.stag());
            }
            if (fault == Fault.CANNOT_INVALIDATE
                    && offender.header() instanceof DdpSegment.Untagged header) {
                return unknown(Use.INVALIDATE, header.invalidate());
            }
            return Optional.empty();
        }

        private static Optional<UnknownHandle> unknown(Use use, int stag) {
            return Optional.of(new UnknownHandle(use, stag));
        }
    }

    /** The peer sent a Terminate message (RFC 5040-5.4-2). */
    record Terminated(Terminate terminate) implements Outcome {}

    /** The connection must end for a reason that is not the peer's fault. */
    record Ended(String why) implements Outcome {}
}
