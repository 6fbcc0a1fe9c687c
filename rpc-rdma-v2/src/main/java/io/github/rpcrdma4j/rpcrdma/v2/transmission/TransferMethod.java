package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;

/**
 * How a message with bulk data travels, by what it costs.
 *
 * <pre>
 *   nanoseconds =   round trips * round trip
 *                 + Sends * cost of a Send
 *                 + items placed * cost of a placement
 *                 + registrations * cost of a registration
 *                 + bytes copied * cost of a byte
 *
 *   form         round trips  Sends  placed  registrations          bytes copied
 *   INLINE       0            1      0       0                      items
 *   PLACED       0            N      items   0                      0
 *   CONTINUED    0            M      0       0                      items
 *   EXPLICIT     1            1      0       one for each item      0
 *   LONG         1            1      0       one, and one for each  payload
 * </pre>
 *
 * The cheapest possible form is taken; of two that cost the same, the one further up. Round trips
 * are those before the message can be used: an RDMA Read by the responder is one. What a form needs
 * to be possible is for its fields to say; LONG always is (RTR-4.3-1), so there always is an
 * answer. PLACED makes a message no shorter, so its Sends are held against the credits (RTR-5.3-5),
 * and against what the peer takes: one, if it says nothing (RTR-5.2-1).
 */
public final class TransferMethod {
    private TransferMethod() {}

    /** How a message travels. */
    public enum Form {
        /** In one Send, items and all. */
        INLINE,
        /** Items in the receive buffers of the peer, in N Sends. */
        PLACED,
        /** All in the payload of M Sends. */
        CONTINUED,
        /** The payload in one Send, the items by explicit RDMA. */
        EXPLICIT,
        /** Everything by explicit RDMA (RTR-4.3-3, RTR-5.2-2). */
        LONG
    }

    /**
     * What a message needs.
     *
     * @param payload bytes without the items
     * @param items bytes of the items, with padding; 0 if there is none
     * @param itemCount how many items there are
     * @param inlineMax bytes of a message that fit a Send behind its header
     * @param explicitMax bytes of payload that fit behind a header that names memory
     * @param placedSends Sends of a placed message; 0 if the peer cannot take one
     * @param continuedSends Sends of a continued one; 0 likewise
     * @param sendsMax the least of what the peer takes, the credits in hand, and our own limit
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
     * What things cost on a connection, in nanoseconds.
     *
     * @param roundTrip as measured
     * @param send of a Send, at both ends
     * @param placement to name an item, and to pad up to it
     * @param registration to register, name and fence a piece of memory
     * @param perByte to copy a byte, in thousandths
     */
    public record Costs(
            long roundTrip, long send, long placement, long registration, long perByte) {}

    /**
     * The form that is taken.
     *
     * @param costs of all forms that were possible, in nanoseconds
     */
    public record Choice(Form form, Map<Form, Long> costs) {
        public Choice {
            costs = Map.copyOf(costs);
        }
    }

    private static final long BYTE_UNIT = 1000;

    public static Choice of(Need need, Costs costs) {
        var possible = new EnumMap<Form, Long>(Form.class);
        for (var form : Form.values()) {
            if (isPossible(form, need)) {
                possible.put(form, cost(form, need, costs));
            }
        }
        // An EnumMap is in order, and min takes the first of equals.
        var form =
                possible.entrySet().stream()
                        .min(Comparator.comparing(Map.Entry::getValue))
                        .orElseThrow()
                        .getKey();
        return new Choice(form, possible);
    }

    private static boolean isPossible(Form form, Need need) {
        return switch (form) {
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

    private static long cost(Form form, Need need, Costs costs) {
        return switch (form) {
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
