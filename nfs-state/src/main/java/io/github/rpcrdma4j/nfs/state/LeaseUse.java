package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;

/**
 * An operation of minor version 0 that is in progress. It names its client by a client ID or by a
 * stateid; some name none.
 */
final class LeaseUse extends ClientUse {
    private final Client client;
    private final Sender sender;

    /**
     * @param client null if the operation names none
     * @param sender of the call
     */
    LeaseUse(Client client, Sender sender) {
        this.client = client;
        this.sender = sender;
    }

    @Override
    Client client() {
        return client;
    }

    @Override
    public HostPlace where() {
        return sender.where();
    }

    /** Returns who sent the operation. */
    Principal principal() {
        return sender.principal();
    }

    @Override
    Nfs4Status presence() {
        return client.isRemoved ? Nfs4Status.STALE_CLIENTID : Nfs4Status.OK;
    }
}
