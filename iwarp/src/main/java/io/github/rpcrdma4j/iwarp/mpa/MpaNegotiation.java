package io.github.rpcrdma4j.iwarp.mpa;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame.Enhanced;
import java.util.Optional;

/**
 * The rules by which two sides agree on a connection when they exchange set-up frames (RFC 5044,
 * Section 7.1; RFC 6581, Section 9). The exchange is one request and one reply, so each side takes
 * one step.
 *
 * <pre>{@code
 * initiator                                responder
 *    request(requested) ---------------------->  objection(request), accept(request, requested)
 *    conclude(requested, reply) <--------------  reply
 * }</pre>
 */
public final class MpaNegotiation {
    /** The highest MPA revision that this implementation supports. */
    public static final int REVISION = 2;

    private MpaNegotiation() {}

    /**
     * The settings that one side asks for.
     *
     * @param crc whether it asks for CRCs; if either side asks, both send them (RFC 5044-7.1.1-2,
     *     5044-4.4-2)
     * @param inboundReads how many RDMA Reads it accepts at a time
     * @param outboundReads how many RDMA Reads it issues at a time
     */
    public record Requested(boolean crc, int inboundReads, int outboundReads) {}

    /**
     * The settings of an established connection, as one side sees them.
     *
     * @param crc whether FPDUs carry CRCs, in both directions
     * @param inboundReads how many RDMA Reads the peer may have outstanding
     * @param outboundReads how many RDMA Reads this side may have outstanding
     * @param firstFrame the ready-to-receive frame that the initiator sends before any other
     */
    public record Agreed(boolean crc, int inboundReads, int outboundReads, FirstFrame firstFrame) {}

    /** The frame that a peer-to-peer initiator sends first. The upper layer never sees it. */
    public enum FirstFrame {
        /** No such frame: the connection is not peer-to-peer. */
        NONE,
        EMPTY_WRITE,
        EMPTY_READ,
        EMPTY_SEND
    }

    /** The responder's action for a request that it cannot accept. */
    public sealed interface Objection {
        /** The responder sends this reply and closes the connection. */
        record Refuse(MpaFrame reply) implements Objection {}

        /** The responder closes the connection without a reply. */
        record Drop(String why) implements Objection {}
    }

    /** The reply that establishes a connection, and the settings that both sides then use. */
    public record Accepted(MpaFrame reply, Agreed agreed) {}

    /** The initiator's result of evaluating a reply. */
    public sealed interface Conclusion {
        /** The connection is established. */
        record Connected(Agreed agreed, byte[] privateData) implements Conclusion {}

        /** The responder refused. */
        record Rejected(byte[] privateData) implements Conclusion {}

        /** The reply violates the protocol or requires an unsupported feature. */
        record Violation(String why) implements Conclusion {}
    }

    /**
     * Returns the request of an initiator. It rejects nothing (RFC 5044-7.1.1-3) and asks for no
     * markers.
     */
    public static MpaFrame request(Requested requested, byte[] privateData) {
        return new MpaFrame(
                false,
                false,
                requested.crc(),
                false,
                REVISION,
                Optional.of(Enhanced.ofDepths(requested.inboundReads(), requested.outboundReads())),
                privateData);
    }

    /**
     * Returns why a responder must not pass a request to its upper layer, with the action to take;
     * empty if it may pass the request.
     */
    public static Optional<Objection> objection(MpaFrame request) {
        // RFC 5044-7.1.2-8.
        if (request.isReply() || request.rejected()) {
            return Optional.of(new Objection.Drop("it sent an MPA reply instead of a request"));
        }
        // RFC 5044-7.1.1-5, 6581-6-2.
        if (request.revision() < 1 || request.revision() > REVISION) {
            return Optional.of(
                    new Objection.Drop("it asks for MPA revision " + request.revision()));
        }
        // RFC 5044-4.3-1 requires more: support for markers.
        if (request.markers()) {
            return Optional.of(new Objection.Refuse(refusal(request, new byte[0])));
        }
        return Optional.empty();
    }

    /**
     * Returns the reply of a responder whose upper layer accepts the connection.
     *
     * @param request a request without {@link #objection}
     */
    public static Accepted accept(MpaFrame request, Requested requested, byte[] privateData) {
        boolean crc = request.crc() || requested.crc();
        if (request.enhanced().isEmpty()) {
            // Revision 1 carries no depths; the upper layers are assumed to know them (RFC
            // 6581-10-1).
            var agreed =
                    new Agreed(
                            crc,
                            requested.inboundReads(),
                            requested.outboundReads(),
                            FirstFrame.NONE);
            return new Accepted(reply(request, crc, Optional.empty(), privateData), agreed);
        }
        var offer = request.enhanced().get();
        // The reply states how many RDMA Reads the responder really accepts and issues (RFC
        // 6581-9.1-1, 6581-9.1-3). Of the first frames that the initiator offers, the reply names
        // one (RFC 6581-9.2-1); without peer-to-peer it sets no flag (RFC 6581-9.2-3). A peer that
        // sent the largest depth gets that value back.
        int outbound = Math.min(requested.outboundReads(), offer.inboundReads());
        var first = firstFrame(offer);
        var enhanced =
                new Enhanced(
                        first != FirstFrame.NONE,
                        first == FirstFrame.EMPTY_SEND,
                        first == FirstFrame.EMPTY_WRITE,
                        first == FirstFrame.EMPTY_READ,
                        replyDepth(requested.inboundReads(), offer.outboundReads()),
                        replyDepth(outbound, offer.inboundReads()));
        // RFC 6581-10-2.
        return new Accepted(
                reply(request, crc, Optional.of(enhanced), privateData),
                new Agreed(crc, requested.inboundReads(), outbound, first));
    }

    /**
     * Returns the depth for the reply. A peer that sent the largest depth does not negotiate, and
     * gets that value back (RFC 6581-9.1-4).
     */
    private static int replyDepth(int depth, int offered) {
        return offered == MpaFrame.READS_MAX ? MpaFrame.READS_MAX : depth;
    }

    /** Returns the reply of a responder whose upper layer refuses the connection. */
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

    /** Prefers an RDMA Write, the cheapest offered frame; a Send costs the upper layer most. */
    private static FirstFrame firstFrame(Enhanced offer) {
        // RFC 6581-9.2-6.
        if (!offer.peerToPeer()) {
            return FirstFrame.NONE;
        }
        if (offer.writeRtr()) {
            return FirstFrame.EMPTY_WRITE;
        }
        if (offer.readRtr()) {
            return FirstFrame.EMPTY_READ;
        }
        return offer.sendRtr() ? FirstFrame.EMPTY_SEND : FirstFrame.EMPTY_WRITE;
    }

    /** Evaluates the reply at the initiator. */
    public static Conclusion conclude(Requested requested, MpaFrame reply) {
        if (!reply.isReply()) {
            return new Conclusion.Violation("it sent an MPA request instead of a reply");
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
        int inbound = requested.inboundReads();
        int outbound = requested.outboundReads();
        // RFC 6581-9.1-2. A reply without enhanced data comes from a responder of revision 1 (RFC
        // 6581-10-4).
        if (reply.enhanced().isPresent()) {
            outbound = Math.min(outbound, reply.enhanced().get().inboundReads());
        }
        return new Conclusion.Connected(
                new Agreed(requested.crc() || reply.crc(), inbound, outbound, FirstFrame.NONE),
                reply.privateData());
    }
}
