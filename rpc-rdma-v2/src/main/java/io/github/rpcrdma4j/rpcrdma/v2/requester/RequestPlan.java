package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.requester.CallPlan;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.requester.RequestMessage.ItemTransfer;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.SendPlan;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferChoice;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferChoice.Costs;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferMethod;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The cheapest possible plan for a call of version 2 and for what it offers for the response
 * (RTR-4.3-1). Pure.
 *
 * <p>Tests: {@code OffersByHandTest}, {@code RequestsByHandTest}.
 *
 * @param message the layout in one or several Sends; empty: one Send, as without extensions
 * @param lacksCredits whether another plan would have been possible with more credits
 */
record RequestPlan(Optional<PlannedRequest> message, boolean lacksCredits) {
    /**
     * A message in one Send or more.
     *
     * @param responseSends the most Sends of the response
     */
    record PlannedRequest(RequestMessage message, SendPlan sends, int responseSends) {}

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
    record Resources(
            BufferLayout peer,
            int peerMax,
            BufferLayout own,
            int responseMax,
            int credits,
            long segmentMax,
            boolean hasTrailer,
            Costs costs,
            TransferPolicy transferPolicy) {}

    /** The plan without extensions, in one Send. */
    static final RequestPlan BASE = new RequestPlan(Optional.empty(), false);

    /** Returns the number of Sends that the request takes. */
    int count() {
        return message.map(request -> request.sends().transmissions().size()).orElse(1);
    }

    /** Returns the most Sends of the response. */
    int responseSends() {
        return message.map(PlannedRequest::responseSends).orElse(1);
    }

    static RequestPlan of(DeferredCall call, Resources resources) {
        if (resources.transferPolicy() == TransferPolicy.EXPLICIT) {
            return BASE;
        }
        return new Choice(call, resources).plan();
    }

    /** A form of the response, compared with that without extensions. */
    private record Response(ItemTransfer results, int sends, boolean hasReplyChunk) {
        static final Response BASE = new Response(ItemTransfer.EXPLICIT, 1, false);

        boolean isBase() {
            return results == ItemTransfer.EXPLICIT && sends == 1 && !hasReplyChunk;
        }
    }

    private static final class Choice {
        private final DeferredCall call;
        private final CallPlan callPlan;
        private final Resources resources;
        private final BitSet movable;

        Choice(DeferredCall call, Resources resources) {
            this.call = call;
            this.callPlan = call.callPlan();
            this.resources = resources;
            this.movable = call.movable();
        }

        RequestPlan plan() {
            var response = response();
            var placed = planned(ItemTransfer.PLACED, response);
            var continued = planned(ItemTransfer.INLINE, response);
            boolean isShort = !callPlan.longCall() && callPlan.reducedItems() == 0;
            if (isShort && response.isBase()) {
                return isWorthPlacing(placed) ? with(placed) : BASE;
            }
            var method = method(isShort, placed, continued);
            return switch (method) {
                case PLACED -> with(placed);
                // With directions in its header, a short call may need more Sends than there are
                // credits, and would wait for ever. Without them, it fits one Send.
                case INLINE, CONTINUED ->
                        sends(continued, resources.credits()) > 0 ? with(continued) : BASE;
                // A request with explicit arguments may have directions for its results too.
                case EXPLICIT ->
                        response.isBase()
                                ? BASE
                                : with(
                                        planned(ItemTransfer.EXPLICIT, response)
                                                .filter(this::isOneSend));
                case LONG -> new RequestPlan(Optional.empty(), lacksCredits(placed, continued));
            };
        }

        private boolean isOneSend(PlannedRequest request) {
            return request.sends().transmissions().size() == 1;
        }

        private RequestPlan with(Optional<PlannedRequest> request) {
            return request.isEmpty() ? BASE : new RequestPlan(request, false);
        }

        /** Returns whether placement costs less than a copy, for a message that fits one Send. */
        private boolean isWorthPlacing(Optional<PlannedRequest> placed) {
            return placed.isPresent()
                    && isOneSend(placed.get())
                    && (resources.transferPolicy() == TransferPolicy.PLACED
                            || method(true, placed, Optional.empty()) == TransferMethod.PLACED);
        }

        private TransferMethod method(
                boolean isShort,
                Optional<PlannedRequest> placed,
                Optional<PlannedRequest> continued) {
            int limit = Math.min(resources.peerMax(), resources.credits());
            if (resources.transferPolicy() == TransferPolicy.PLACED && sends(placed, limit) > 0) {
                return TransferMethod.PLACED;
            }
            if (resources.transferPolicy() != TransferPolicy.CHEAPEST
                    && sends(continued, limit) > 0) {
                return TransferMethod.CONTINUED;
            }
            long payload = call.without(movable).length();
            long items = call.without(new BitSet()).length() - payload;
            var need =
                    new TransferChoice.Need(
                            payload,
                            items,
                            movable.cardinality(),
                            isShort ? payload + items : -1,
                            callPlan.longCall() ? -1 : payload,
                            sends(placed, limit),
                            sends(continued, limit),
                            limit);
            return TransferChoice.of(need, resources.costs()).method();
        }

        private static int sends(Optional<PlannedRequest> request, int limit) {
            int sends = request.map(each -> each.sends().transmissions().size()).orElse(0);
            return sends <= limit ? sends : 0;
        }

        private boolean lacksCredits(
                Optional<PlannedRequest> placed, Optional<PlannedRequest> continued) {
            return sends(placed, resources.credits()) == 0 && sends(placed, resources.peerMax()) > 0
                    || sends(continued, resources.credits()) == 0
                            && sends(continued, resources.peerMax()) > 0;
        }

        private Optional<PlannedRequest> planned(ItemTransfer arguments, Response response) {
            if (arguments != ItemTransfer.INLINE && movable.isEmpty()) {
                return Optional.empty();
            }
            var message =
                    new RequestMessage(
                            call,
                            arguments == ItemTransfer.INLINE ? new BitSet() : movable,
                            arguments,
                            callPlan.offersWriteChunks() ? response.results() : ItemTransfer.INLINE,
                            response.hasReplyChunk(),
                            resources.segmentMax());
            return SendPlan.of(
                            resources.peer(),
                            message.payload().length(),
                            arguments == ItemTransfer.PLACED ? message.lengths() : List.of(),
                            message::headerLength,
                            resources.peerMax())
                    .map(sends -> new PlannedRequest(message, sends, response.sends()));
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
            long inline = resources.own().bytes() - RequestMessage.RESPONSE_HEADER_BYTES;
            long continued = resources.own().bytes() - SendPlan.CONTINUATION_BYTES;
            var offer =
                    ResponseOffer.of(
                            estimate,
                            new ResponseOffer.Limits(
                                    inline, continued, resources.responseMax(), canFetch),
                            canFetch
                                    ? ResponseOffer.Policy.NEVER_IF_AVOIDABLE
                                    : ResponseOffer.Policy.WHERE_NEEDED);
            return offer.hasReplyChunk() && !resources.hasTrailer()
                    ? Response.BASE
                    : new Response(
                            ItemTransfer.EXPLICIT, offer.transmissions(), offer.hasReplyChunk());
        }

        /** Returns how bulk results travel that do not fit one Send. */
        private Response results() {
            var costs = resources.costs();
            int targets = call.resultTargets().size();
            long best = costs.send() + targets * costs.registration();
            var response = Response.BASE;
            long bulk = call.expected().bulk();
            int placed = call.responsePlan(resources.own(), true, resources.responseMax());
            long placing = placed * costs.send() + targets * costs.placement();
            if (placed > 0
                    && (placing < best || resources.transferPolicy() == TransferPolicy.PLACED)) {
                best = resources.transferPolicy() == TransferPolicy.PLACED ? 0 : placing;
                response = new Response(ItemTransfer.PLACED, placed, false);
            }
            int continued = call.responsePlan(resources.own(), false, resources.responseMax());
            long copying = continued * costs.send() + bulk * costs.perByte() / 1000;
            if (continued > 0
                    && (copying < best || resources.transferPolicy() == TransferPolicy.CONTINUED)) {
                response = new Response(ItemTransfer.INLINE, continued, false);
            }
            return response;
        }
    }
}
