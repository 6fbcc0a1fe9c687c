package io.github.rpcrdma4j.gateway;

/**
 * What a gateway holds, and its counters since its start.
 *
 * @param callsPassing calls that were passed on, and whose replies are not sent yet
 * @param callsWaiting calls that wait for room
 * @param replyBytes the room for the replies to calls that were passed on, in bytes
 * @param callsRepeated calls that got the kept reply of an earlier connection
 * @param connections connections to the server that were opened
 * @param connectionsFailed clients that were turned away because the server was not reachable, or
 *     their host had its share of the connections
 */
public record GatewayStatistics(
        int callsPassing,
        int callsWaiting,
        long replyBytes,
        long callsRepeated,
        long connections,
        long connectionsFailed) {}
