package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.v2.connection.CharacteristicsExchange;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Carriage;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What a requester of version 2 has beside one of version 1.
 *
 * @param exchange what the two sides have told each other
 * @param carriage what calls shall travel by; explicit where there are no several Sends
 * @param spareReceives for the Sends of responses behind the first of each
 * @param segmentMax the longest segment to offer, in bytes
 * @param clock in nanoseconds of any origin
 * @param fetched how replies are fetched; empty: they are not
 * @param invalidates whether handles of the peer may be invalidated from here
 * @param sendMax the longest Send to make, in bytes
 */
public record Version2Setting(
        CharacteristicsExchange exchange,
        Carriage carriage,
        int spareReceives,
        long segmentMax,
        LongSupplier clock,
        Optional<FetchedReplies> fetched,
        boolean invalidates,
        int sendMax) {}
