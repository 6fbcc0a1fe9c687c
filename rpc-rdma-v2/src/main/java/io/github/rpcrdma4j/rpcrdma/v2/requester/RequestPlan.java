package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.requester.CallPlan;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Carriage;
import io.github.rpcrdma4j.rpcrdma.v2.requester.RequestMessage.Way;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.SendPlan;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferMethod;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferMethod.Costs;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferMethod.Form;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The cheapest possible plan for a call of version 2 and for what it offers for the response
 * (RTR-4.3-1). Pure.
 *
 * @param message the layout in one or several Sends; empty: one Send, as without extensions
 * @param lacksCredits whether another plan would have been possible with more credits
 */
record RequestPlan(Optional<Laid> message, boolean lacksCredits) {
    /**
     * A message in one Send or more.
     *
     * @param responseSends the most Sends of the response
     */
    record Laid(RequestMessage message, SendPlan sends, int responseSends) {}

    /**
     * The resources of a connection at the time of a call.
     *
     * @param peer how the receives of the responder are built
     * @param peerMax the most Sends of a request that the responder accepts
     * @param own how the receives of this side are built
     * @param responseMax the most Sends of a response, by both sides
     * @param credits the number of Sends that can be posted now
     * @param segmentMax the longest segment that is offered, in bytes
     * @param hasTrailer whether a request of several Sends can offer a Reply chunk
     */
    record Means(
            BufferLayout peer,
            int peerMax,
            BufferLayout own,
            int responseMax,
            int credits,
            long segmentMax,
            boolean hasTrailer,
            Costs costs,
            Carriage carriage) {}

    /** The plan without extensions, in one Send. */
    static final RequestPlan BASE = new RequestPlan(Optional.empty(), false);

    /** Returns the number of Sends that the request takes. */
    int count() {
        return message.map(laid -> laid.sends().transmissions().size()).orElse(1);
    }

    /** Returns the most Sends of the response. */
    int responseSends() {
        return message.map(Laid::responseSends).orElse(1);
    }

    static RequestPlan of(DeferredCall call, Means means) {
        if (means.carriage() == Carriage.EXPLICIT) {
            return BASE;
        }
        return new Choice(call, means).plan();
    }

    /** A form of the response, compared with that without extensions. */
    private record Response(Way results, int sends, boolean hasReplyChunk) {
        static final Response BASE = new Response(Way.EXPLICIT, 1, false);

        boolean isBase() {
            return results == Way.EXPLICIT && sends == 1 && !hasReplyChunk;
        }
    }

    private static final class Choice {
        private final DeferredCall call;
        private final CallPlan callPlan;
        private final Means means;
        private final BitSet movable;

        Choice(DeferredCall call, Means means) {
            this.call = call;
            this.callPlan = call.callPlan();
            this.means = means;
            this.movable = call.movable();
        }

        RequestPlan plan() {
            var response = response();
            var placed = laid(Way.PLACED, response);
            var continued = laid(Way.INLINE, response);
            boolean isShort = !callPlan.longCall() && callPlan.reducedItems() == 0;
            if (isShort && response.isBase()) {
                return isWorthPlacing(placed) ? with(placed) : BASE;
            }
            var form = form(isShort, placed, continued);
            return switch (form) {
                case PLACED -> with(placed);
                case INLINE, CONTINUED -> with(continued);
                // A request with explicit arguments may have directions for its results too.
                case EXPLICIT ->
                        response.isBase()
                                ? BASE
                                : with(laid(Way.EXPLICIT, response).filter(this::isOneSend));
                case LONG -> new RequestPlan(Optional.empty(), lacksCredits(placed, continued));
            };
        }

        private boolean isOneSend(Laid laid) {
            return laid.sends().transmissions().size() == 1;
        }

        private RequestPlan with(Optional<Laid> laid) {
            return laid.isEmpty() ? BASE : new RequestPlan(laid, false);
        }

        /** Returns whether placement costs less than a copy, for a message that fits one Send. */
        private boolean isWorthPlacing(Optional<Laid> placed) {
            return placed.isPresent()
                    && isOneSend(placed.get())
                    && (means.carriage() == Carriage.PLACED
                            || form(true, placed, Optional.empty()) == Form.PLACED);
        }

        private Form form(boolean isShort, Optional<Laid> placed, Optional<Laid> continued) {
            int limit = Math.min(means.peerMax(), means.credits());
            if (means.carriage() == Carriage.PLACED && sends(placed, limit) > 0) {
                return Form.PLACED;
            }
            if (means.carriage() != Carriage.CHEAPEST && sends(continued, limit) > 0) {
                return Form.CONTINUED;
            }
            long payload = call.without(movable).length();
            long items = call.without(new BitSet()).length() - payload;
            var need =
                    new TransferMethod.Need(
                            payload,
                            items,
                            movable.cardinality(),
                            isShort ? payload + items : -1,
                            callPlan.longCall() ? -1 : payload,
                            sends(placed, limit),
                            sends(continued, limit),
                            limit);
            return TransferMethod.of(need, means.costs()).form();
        }

        private static int sends(Optional<Laid> laid, int limit) {
            int sends = laid.map(each -> each.sends().transmissions().size()).orElse(0);
            return sends <= limit ? sends : 0;
        }

        private boolean lacksCredits(Optional<Laid> placed, Optional<Laid> continued) {
            return sends(placed, means.credits()) == 0 && sends(placed, means.peerMax()) > 0
                    || sends(continued, means.credits()) == 0
                            && sends(continued, means.peerMax()) > 0;
        }

        private Optional<Laid> laid(Way arguments, Response response) {
            if (arguments != Way.INLINE && movable.isEmpty()) {
                return Optional.empty();
            }
            var message =
                    new RequestMessage(
                            call,
                            arguments == Way.INLINE ? new BitSet() : movable,
                            arguments,
                            callPlan.offersWriteChunks() ? response.results() : Way.INLINE,
                            response.hasReplyChunk(),
                            means.segmentMax());
            return SendPlan.of(
                            means.peer(),
                            message.payload().length(),
                            arguments == Way.PLACED ? message.lengths() : List.of(),
                            message::headerLength,
                            means.peerMax())
                    .map(sends -> new Laid(message, sends, response.sends()));
        }

        private Response response() {
            if (callPlan.offersWriteChunks()) {
                return results();
            }
            boolean canFetch = callPlan.unofferedBytes() > 0;
            long longest = canFetch ? callPlan.unofferedBytes() : callPlan.replyChunkBytes();
            if (longest == 0) {
                return Response.BASE;
            }
            var estimate =
                    new ResponseOffer.Estimate(call.expected().min(), OptionalLong.of(longest));
            long inline = means.own().bytes() - RequestMessage.RESPONSE_HEADER_BYTES;
            long continued = means.own().bytes() - SendPlan.CONTINUATION_BYTES;
            var offer =
                    ResponseOffer.of(
                            estimate,
                            new ResponseOffer.Means(
                                    inline, continued, means.responseMax(), canFetch),
                            canFetch
                                    ? ResponseOffer.Policy.NEVER_IF_AVOIDABLE
                                    : ResponseOffer.Policy.WHERE_NEEDED);
            return offer.hasReplyChunk() && !means.hasTrailer()
                    ? Response.BASE
                    : new Response(Way.EXPLICIT, offer.transmissions(), offer.hasReplyChunk());
        }

        /** Returns how bulk results travel that do not fit one Send. */
        private Response results() {
            var costs = means.costs();
            int targets = call.resultTargets().size();
            long best = costs.send() + targets * costs.registration();
            var response = Response.BASE;
            long bulk = call.expected().bulk();
            int placed = call.responsePlan(means.own(), true, means.responseMax());
            long placing = placed * costs.send() + targets * costs.placement();
            if (placed > 0 && (placing < best || means.carriage() == Carriage.PLACED)) {
                best = means.carriage() == Carriage.PLACED ? 0 : placing;
                response = new Response(Way.PLACED, placed, false);
            }
            int continued = call.responsePlan(means.own(), false, means.responseMax());
            long copying = continued * costs.send() + bulk * costs.perByte() / 1000;
            if (continued > 0 && (copying < best || means.carriage() == Carriage.CONTINUED)) {
                response = new Response(Way.INLINE, continued, false);
            }
            return response;
        }
    }
}
