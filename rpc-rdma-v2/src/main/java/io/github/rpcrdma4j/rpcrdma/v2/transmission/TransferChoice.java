package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;

/**
 * The cheapest method by which a message with bulk data travels.
 *
 * <pre>
 *   nanoseconds =   round trips * round trip
 *                 + Sends * cost of a Send
 *                 + items placed * cost of a placement
 *                 + registrations * cost of a registration
 *                 + bytes copied * cost of a byte
 *
 *   method       round trips  Sends  placed  registrations          bytes copied
 *   INLINE       0            1      0       0                      items
 *   PLACED       0            N      items   0                      0
 *   CONTINUED    0            M      0       0                      items
 *   EXPLICIT     1            1      0       one for each item      0
 *   LONG         1            1      0       one, and one for each  payload
 * </pre>
 *
 * The cheapest possible method is used; of two with equal costs, the upper one. Round trips are
 * those before the message can be used: an RDMA Read by the responder is one. The fields of {@link
 * Need} decide which methods are possible. LONG always is (RTR-4.3-1), so there is always a result.
 * PLACED makes a message no shorter, so its Sends must fit the credits (RTR-5.3-5), and what the
 * peer accepts: one, if it says nothing (RTR-5.2-1).
 *
 * @param method the chosen method
 * @param costs the costs of all possible methods, in nanoseconds
 */
public record TransferChoice(TransferMethod method, Map<TransferMethod, Long> costs) {
    /**
     * The needs of a message.
     *
     * @param payload the bytes without the items
     * @param items the bytes of the items, with padding; 0 if there is none
     * @param itemCount the number of items
     * @param inlineMax the bytes of a message that fit a Send after its header
     * @param explicitMax the bytes of payload that fit after a header that names memory
     * @param placedSends the Sends of a placed message; 0 if the peer cannot accept one
     * @param continuedSends the Sends of a continued message; 0 if the peer cannot accept one
     * @param sendsMax the smallest of what the peer accepts, the available credits, and our own
     *     limit
     */
    public record Need(
            long payload,
            long items,
            int itemCount,
            long inlineMax,
            long explicitMax,
            int placedSends,
            int continuedSends,
            int sendsMax) {}

    /**
     * The costs on a connection, in nanoseconds.
     *
     * @param roundTrip the measured round trip
     * @param send the cost of a Send, at both ends
     * @param placement the cost to name an item, and to pad up to it
     * @param registration the cost to register, name and fence a piece of memory
     * @param perByte the cost to copy a byte, in thousandths of a nanosecond
     */
    public record Costs(
            long roundTrip, long send, long placement, long registration, long perByte) {}

    private static final long BYTE_UNIT = 1000;

    public TransferChoice {
        costs = Map.copyOf(costs);
    }

    /** Chooses the cheapest possible method. */
    public static TransferChoice of(Need need, Costs costs) {
        var possible = new EnumMap<TransferMethod, Long>(TransferMethod.class);
        for (var method : TransferMethod.values()) {
            if (isPossible(method, need)) {
                possible.put(method, cost(method, need, costs));
            }
        }
        // An EnumMap is ordered, and min returns the first of equal costs.
        var method =
                possible.entrySet().stream()
                        .min(Comparator.comparing(Map.Entry::getValue))
                        .orElseThrow()
                        .getKey();
        return new TransferChoice(method, possible);
    }

    private static boolean isPossible(TransferMethod method, Need need) {
        return switch (method) {
            case INLINE -> need.payload() + need.items() <= need.inlineMax();
            case PLACED ->
                    need.itemCount() > 0
                            && need.placedSends() > 0
                            && need.placedSends() <= need.sendsMax();
            case CONTINUED -> need.continuedSends() > 1 && need.continuedSends() <= need.sendsMax();
            case EXPLICIT -> need.itemCount() > 0 && need.payload() <= need.explicitMax();
            case LONG -> true;
        };
    }

    private static long cost(TransferMethod method, Need need, Costs costs) {
        return switch (method) {
            case INLINE -> costs.send() + copying(need.items(), costs);
            case PLACED -> need.placedSends() * costs.send() + need.itemCount() * costs.placement();
            case CONTINUED -> need.continuedSends() * costs.send() + copying(need.items(), costs);
            case EXPLICIT ->
                    costs.roundTrip() + costs.send() + need.itemCount() * costs.registration();
            case LONG ->
                    costs.roundTrip()
                            + costs.send()
                            + (1L + need.itemCount()) * costs.registration()
                            + copying(need.payload(), costs);
        };
    }

    private static long copying(long bytes, Costs costs) {
        return bytes * costs.perByte() / BYTE_UNIT;
    }
}
