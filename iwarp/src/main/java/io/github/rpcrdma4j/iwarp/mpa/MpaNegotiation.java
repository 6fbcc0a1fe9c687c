package io.github.rpcrdma4j.iwarp.mpa;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame.Enhanced;
import java.util.Optional;

/**
 * What two sides agree on when they exchange set-up frames (RFC 5044, Section 7.1; RFC 6581,
 * Section 9): a request and its reply are all there is, so each side takes one step.
 *
 * <pre>{@code
 * initiator                                responder
 *    request(wanted) ------------------------->  objection(request), accept(request, wanted)
 *    conclude(wanted, reply) <-----------------  reply
 * }</pre>
 */
public final class MpaNegotiation {
    /** The highest revision that is spoken. */
    public static final int REVISION = 2;

    private MpaNegotiation() {}

    /**
     * What one side wants.
     *
     * @param crc whether it asks for CRCs; if either side does, both send them (RFC 5044-7.1.1-2,
     *     5044-4.4-2)
     * @param inboundReads RDMA Reads that it takes at a time
     * @param outboundReads RDMA Reads that it makes at a time
     */
    public record Wanted(boolean crc, int inboundReads, int outboundReads) {}

    /**
     * What holds for the life of the connection, from one side's view.
     *
     * @param crc whether FPDUs carry CRCs, both ways
     * @param inboundReads RDMA Reads that the peer may have outstanding
     * @param outboundReads RDMA Reads that this side may have outstanding
     * @param firstFrame the ready-to-receive frame that the initiator sends before all else
     */
    public record Agreed(boolean crc, int inboundReads, int outboundReads, FirstFrame firstFrame) {}

    /** What a peer-to-peer initiator sends first, which the upper layer never sees. */
    public enum FirstFrame {
        /** Nothing special: the connection is not peer-to-peer. */
        NONE,
        EMPTY_WRITE,
        EMPTY_READ,
        EMPTY_SEND
    }

    /** What a responder does with a request that cannot be accepted. */
    public sealed interface Objection {
        /** Send this reply and close. */
        record Refuse(MpaFrame reply) implements Objection {}

        /** Close without a word. */
        record Drop(String why) implements Objection {}
    }

    /** The reply that makes a connection stand, and what holds from then on. */
    public record Accepted(MpaFrame reply, Agreed agreed) {}

    /** What a reply makes of the connection, at the initiator. */
    public sealed interface Conclusion {
        /** The connection stands. */
        record Connected(Agreed agreed, byte[] privateData) implements Conclusion {}

        /** The responder refused. */
        record Rejected(byte[] privateData) implements Conclusion {}

        /** The reply breaks the rules, or asks for what is not offered here. */
        record Violation(String why) implements Conclusion {}
    }

    /**
     * The request of an initiator; it rejects nothing (RFC 5044-7.1.1-3) and asks for no markers.
     */
    public static MpaFrame request(Wanted wanted, byte[] privateData) {
        return new MpaFrame(
                false,
                false,
                wanted.crc(),
                false,
                REVISION,
                Optional.of(Enhanced.ofDepths(wanted.inboundReads(), wanted.outboundReads())),
                privateData);
    }

    /** What a responder does with a request that its upper layer never sees; empty if it does. */
    public static Optional<Objection> objection(MpaFrame request) {
        // RFC 5044-7.1.2-8.
        if (request.isReply() || request.rejected()) {
            return Optional.of(new Objection.Drop("it sent an MPA reply in place of a request"));
        }
        // RFC 5044-7.1.1-5, 6581-6-2.
        if (request.revision() < 1 || request.revision() > REVISION) {
            return Optional.of(
                    new Objection.Drop("it asks for MPA revision " + request.revision()));
        }
        // RFC 5044-4.3-1 asks for more than that.
        if (request.markers()) {
            return Optional.of(new Objection.Refuse(refusal(request, new byte[0])));
        }
        return Optional.empty();
    }

    /**
     * The reply of a responder whose upper layer accepts.
     *
     * @param request one without {@link #objection}
     */
    public static Accepted accept(MpaFrame request, Wanted wanted, byte[] privateData) {
        boolean crc = request.crc() || wanted.crc();
        if (request.enhanced().isEmpty()) {
            // Revision 1 says nothing of depths; the upper layers are taken to know (RFC
            // 6581-10-1).
            var agreed =
                    new Agreed(crc, wanted.inboundReads(), wanted.outboundReads(), FirstFrame.NONE);
            return new Accepted(reply(request, crc, Optional.empty(), privateData), agreed);
        }
        var asked = request.enhanced().get();
        // RFC 6581-9.1-1, 6581-9.1-3; and of the first frames that it offers one (RFC 6581-9.2-1),
        // or no flag at all (RFC 6581-9.2-3). A peer that does not negotiate hears the same.
        int outbound = Math.min(wanted.outboundReads(), asked.inboundReads());
        var first = firstFrame(asked);
        var enhanced =
                new Enhanced(
                        first != FirstFrame.NONE,
                        first == FirstFrame.EMPTY_SEND,
                        first == FirstFrame.EMPTY_WRITE,
                        first == FirstFrame.EMPTY_READ,
                        said(wanted.inboundReads(), asked.outboundReads()),
                        said(outbound, asked.inboundReads()));
        // RFC 6581-10-2.
        return new Accepted(
                reply(request, crc, Optional.of(enhanced), privateData),
                new Agreed(crc, wanted.inboundReads(), outbound, first));
    }

    /** What is said of a depth to a peer that said how it wants it (RFC 6581-9.1-4). */
    private static int said(int depth, int asked) {
        return asked == MpaFrame.READS_MAX ? MpaFrame.READS_MAX : depth;
    }

    /** The reply of a responder whose upper layer says no. */
    public static MpaFrame refusal(MpaFrame request, byte[] privateData) {
        return new MpaFrame(
                true,
                false,
                request.crc(),
                true,
                Math.min(request.revision(), REVISION),
                request.enhanced().map(_ -> Enhanced.ofDepths(0, 0)),
                privateData);
    }

    private static MpaFrame reply(
            MpaFrame request, boolean crc, Optional<Enhanced> enhanced, byte[] privateData) {
        return new MpaFrame(true, false, crc, false, request.revision(), enhanced, privateData);
    }

    /** An RDMA Write is the cheapest of what is offered, a Send costs the upper layer most. */
    private static FirstFrame firstFrame(Enhanced asked) {
        // RFC 6581-9.2-6.
        if (!asked.peerToPeer()) {
            return FirstFrame.NONE;
        }
        if (asked.writeRtr()) {
            return FirstFrame.EMPTY_WRITE;
        }
        if (asked.readRtr()) {
            return FirstFrame.EMPTY_READ;
        }
        return asked.sendRtr() ? FirstFrame.EMPTY_SEND : FirstFrame.EMPTY_WRITE;
    }

    /** What the initiator makes of the reply. */
    public static Conclusion conclude(Wanted wanted, MpaFrame reply) {
        if (!reply.isReply()) {
            return new Conclusion.Violation("it sent an MPA request in place of a reply");
        }
        // RFC 5044-7.1.2-5.
        if (reply.rejected()) {
            return new Conclusion.Rejected(reply.privateData());
        }
        if (reply.revision() < 1 || reply.revision() > REVISION) {
            return new Conclusion.Violation("it answered with MPA revision " + reply.revision());
        }
        if (reply.markers()) {
            return new Conclusion.Violation("it demands markers, which are not offered");
        }
        int inbound = wanted.inboundReads();
        int outbound = wanted.outboundReads();
        // RFC 6581-9.1-2; without it the responder is one of revision 1 (RFC 6581-10-4).
        if (reply.enhanced().isPresent()) {
            outbound = Math.min(outbound, reply.enhanced().get().inboundReads());
        }
        return new Conclusion.Connected(
                new Agreed(wanted.crc() || reply.crc(), inbound, outbound, FirstFrame.NONE),
                reply.privateData());
    }
}
