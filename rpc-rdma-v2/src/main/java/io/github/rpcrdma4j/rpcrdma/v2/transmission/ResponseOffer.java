package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import java.util.OptionalLong;

/**
 * What a requester offers for a response, by how long that may get.
 *
 * <pre>
 *   surely fits one Send                        nothing
 *   surely fits as many Sends as there may be   so many receives, and nothing else
 *   surely fits no Send                         a Reply chunk
 *   may be short and may be long                a Read chunk of the responder, if both know that;
 *                                               a Reply chunk if not
 * </pre>
 *
 * @param transmissions which the response may have, at least 1; the requester has so many receives
 *     posted before the request goes out, and one more (RTR-4.3-4)
 * @param hasReplyChunk whether memory is offered for the whole response (RTR-5.2-6)
 */
public record ResponseOffer(int transmissions, boolean hasReplyChunk) {
    /** Whether Reply chunks are offered at all (RPR-5.3.1-4). */
    public enum Policy {
        WHERE_NEEDED,
        /** Only for responders that let nothing be fetched. */
        NEVER_IF_AVOIDABLE
    }

    /**
     * How long a response gets, without what is placed elsewhere, in bytes.
     *
     * @param max empty if it is not known
     */
    public record Estimate(long min, OptionalLong max) {}

    /**
     * What a response may use.
     *
     * @param inlineMax bytes of a message that fit one Send behind its header (RPR-3.5-1): the
     *     receive size decides (XCH-3.1-2)
     * @param continuedMax bytes that fit each further Send
     * @param transmissionsMax the least of what the peer makes and of the receives at hand
     *     (RTR-5.2-5); 1 if there is no continuation
     * @param canFetch whether both know responder-provided Read chunks
     */
    public record Means(long inlineMax, long continuedMax, int transmissionsMax, boolean canFetch) {
        /** How many Sends so many bytes take; more than an int has is the most an int has. */
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

    public static ResponseOffer of(Estimate estimate, Means means, Policy policy) {
        int limit = Math.max(1, means.transmissionsMax());
        // RPR-5.3.1-3, RTR-4.3-5, RTR-5.2-4.
        if (estimate.max().isPresent() && means.sends(estimate.max().getAsLong()) <= limit) {
            return new ResponseOffer(means.sends(estimate.max().getAsLong()), false);
        }
        boolean isLong = means.sends(estimate.min()) > limit;
        boolean avoids =
                switch (policy) {
                    // RPR-5.3.1-1, RPR-5.3.1-2: what is long in any case saves a round trip.
                    case WHERE_NEEDED -> !isLong;
                    case NEVER_IF_AVOIDABLE -> true;
                };
        return new ResponseOffer(limit, !(means.canFetch() && avoids));
    }
}
