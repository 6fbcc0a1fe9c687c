package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;

/** An asynchronous copy as the one that uses files: it goes on after its COMPOUND. */
final class CopyUse extends ClientUse {
    private final Client client;

    CopyUse(Client client) {
        this.client = client;
    }

    @Override
    Client client() {
        return client;
    }

    @Override
    public HostPlace where() {
        return client.placeUse.place;
    }

    @Override
    Nfs4Status presence() {
        return client.isRemoved ? Nfs4Status.STALE_CLIENTID : Nfs4Status.OK;
    }
}
