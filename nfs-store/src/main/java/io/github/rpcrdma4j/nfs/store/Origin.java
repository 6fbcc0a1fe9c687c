package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.oncrpc.ClientAddress;

/**
 * Where a call came from: whose share it uses of what a store has few of. Hosts with equal clients
 * have one share together.
 *
 * @param client null stands for this server
 * @param place tells the hosts of a network apart; empty if the client is no network
 */
public record Origin(ClientAddress client, String place) {
    /** This server, whose own work no client asked for. */
    public static final Origin SERVER = new Origin(null, "");
}
