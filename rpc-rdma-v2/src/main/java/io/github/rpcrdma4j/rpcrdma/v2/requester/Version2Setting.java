package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.v2.connection.CharacteristicsExchange;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The additional settings of a requester in version 2.
 *
 * @param exchange the characteristics of both sides
 * @param transferPolicy decides how calls travel; explicit if messages have one Send only
 * @param spareReceives the number of receives for the Sends of responses after the first of each
 * @param segmentMax the longest segment to offer, in bytes
 * @param clock returns nanoseconds of any origin
 * @param fetched how replies are fetched; empty: they are not
 * @param invalidates whether this side may invalidate handles of the peer
 * @param sendMax the longest Send to make, in bytes
 */
public record Version2Setting(
        CharacteristicsExchange exchange,
        TransferPolicy transferPolicy,
        int spareReceives,
        long segmentMax,
        LongSupplier clock,
        Optional<FetchedReplies> fetched,
        boolean invalidates,
        int sendMax) {}
