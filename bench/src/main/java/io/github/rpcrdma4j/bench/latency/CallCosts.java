package io.github.rpcrdma4j.bench.latency;

/**
 * The round trips, messages and registrations of one call.
 *
 * @param roundTrips how many round trips the call waits for
 * @param sends Sends of both ends
 * @param writes RDMA Writes of both ends
 * @param reads RDMA Reads of both ends
 * @param clientRegistrations how often the client opens memory to the server
 * @param serverRegistrations how often the server opens memory to the client
 */
record CallCosts(
        double roundTrips,
        double sends,
        double writes,
        double reads,
        double clientRegistrations,
        double serverRegistrations) {}
