package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import java.util.OptionalLong;

/**
 * The offer of a requester for a response, by the possible length of the response.
 *
 * <pre>
 *   surely fits one Send                        nothing
 *   surely fits as many Sends as there may be   so many receives, and nothing else
 *   surely fits no Send                         a Reply chunk
 *   may be short and may be long                a Read chunk of the responder, if both know that;
 *                                               a Reply chunk if not
 * </pre>
 *
 * @param transmissions the most transmissions of the response, at least 1; before it sends the
 *     request, the requester posts so many receives and one more (RTR-4.3-4)
 * @param hasReplyChunk whether memory is offered for the whole response (RTR-5.2-6)
 */
public record ResponseOffer(int transmissions, boolean hasReplyChunk) {
    /** A policy for the offer of Reply chunks (RPR-5.3.1-4). */
    public enum Policy {
        WHERE_NEEDED,
        /** Only if the responder does not expose replies. */
        NEVER_IF_AVOIDABLE
    }

    /**
     * The length of a response without placed results, in bytes.
     *
     * @param min the shortest length
     * @param max the longest length; empty if unknown
     */
    public record Estimate(long min, OptionalLong max) {}

    /**
     * The limits of a response.
     *
     * @param inlineMax the bytes of a message that fit one Send after its header (RPR-3.5-1), given
     *     by the receive size (XCH-3.1-2)
     * @param continuedMax the bytes that fit each further Send
     * @param transmissionsMax the smaller of what the peer makes and of the available receives
     *     (RTR-5.2-5); 1 without continuation
     * @param canFetch whether both sides support responder-provided Read chunks
     */
    public record Limits(
            long inlineMax, long continuedMax, int transmissionsMax, boolean canFetch) {
        /** Returns how many Sends so many bytes take, at most {@link Integer#MAX_VALUE}. */
        int sends(long bytes) {
            if (bytes <= inlineMax) {
                return 1;
            }
            if (continuedMax <= 0) {
                return Integer.MAX_VALUE;
            }
            long more = (bytes - inlineMax + continuedMax - 1) / continuedMax;
            return (int) Math.min(Integer.MAX_VALUE, 1 + more);
        }
    }

    public static ResponseOffer of(Estimate estimate, Limits limits, Policy policy) {
        int limit = Math.max(1, limits.transmissionsMax());
        // RPR-5.3.1-3, RTR-4.3-5, RTR-5.2-4.
        if (estimate.max().isPresent() && limits.sends(estimate.max().getAsLong()) <= limit) {
            return new ResponseOffer(limits.sends(estimate.max().getAsLong()), false);
        }
        boolean isLong = limits.sends(estimate.min()) > limit;
        boolean avoids =
                switch (policy) {
                    // RPR-5.3.1-1, RPR-5.3.1-2: a Reply chunk for a reply that is always long saves
                    // a round trip.
                    case WHERE_NEEDED -> !isLong;
                    case NEVER_IF_AVOIDABLE -> true;
                };
        return new ResponseOffer(limit, !(limits.canFetch() && avoids));
    }
}
