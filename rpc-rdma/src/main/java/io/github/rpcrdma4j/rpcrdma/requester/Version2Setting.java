package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.Version2.Carriage;
import io.github.rpcrdma4j.rpcrdma.connect.Exchanges;
import java.util.function.LongSupplier;

/**
 * What a requester of version 2 has beside one of version 1.
 *
 * @param exchanges what the two sides have told each other
 * @param carriage what calls shall travel by; explicit where there are no several Sends
 * @param spareReceives for the Sends of responses behind the first of each
 * @param segmentMax the longest segment to offer, in octets
 * @param clock in nanoseconds of any origin
 */
public record Version2Setting(
        Exchanges exchanges,
        Carriage carriage,
        int spareReceives,
        long segmentMax,
        LongSupplier clock) {}
