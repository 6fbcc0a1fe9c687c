package io.github.rpcrdma4j.nfs.server.admin;

/**
 * A session of a client.
 *
 * @param id its 32 hexadecimal digits
 * @param client the number of the client
 * @param slots how many calls the client may have in progress
 * @param running calls in progress
 * @param connections connections for calls of the client
 * @param backConnections connections for calls of the server
 * @param callsBack whether the server can call the client now
 */
public record ServedSession(
        String id,
        long client,
        int slots,
        int running,
        int connections,
        int backConnections,
        boolean callsBack) {}
