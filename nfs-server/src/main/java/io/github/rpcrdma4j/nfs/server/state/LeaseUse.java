package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * An operation of minor version 0. It names its client by a client ID or by a stateid; some name
 * none.
 */
final class LeaseUse extends ClientUse {
    private final Client client;
    private final Host host;

    /**
     * @param client null if the operation names none
     * @param host where the call came from
     */
    LeaseUse(Client client, Host host) {
        this.client = client;
        this.host = host;
    }

    @Override
    Client client() {
        return client;
    }

    @Override
    Host host() {
        return host;
    }

    @Override
    Nfs4Status presence() {
        return client.isRemoved ? Nfs4Status.STALE_CLIENTID : Nfs4Status.OK;
    }
}
