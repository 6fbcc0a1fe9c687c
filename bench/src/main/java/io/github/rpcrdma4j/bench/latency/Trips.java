package io.github.rpcrdma4j.bench.latency;

/**
 * What one call takes.
 *
 * @param roundTrips how often somebody has to wait for the other end and back
 * @param sends of both ends, as are the following
 * @param writes RDMA Writes
 * @param reads RDMA Reads
 * @param clientRegistrations how often the client opens memory to the server for it
 * @param serverRegistrations how often the server does to the client
 */
record Trips(
        double roundTrips,
        double sends,
        double writes,
        double reads,
        double clientRegistrations,
        double serverRegistrations) {}
