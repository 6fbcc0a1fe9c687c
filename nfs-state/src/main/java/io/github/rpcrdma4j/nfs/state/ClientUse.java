package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;

/** The client for which an operation is carried out. The events of operations take it. */
public abstract sealed class ClientUse permits SlotUse, LeaseUse, Copies.CopyUse {
    /** The number of the record that the operation has waited for; 0 if it has not. */
    long awaitedRecord;

    ClientUse() {}

    /** Returns the client; null for an operation of minor version 0 that names none. */
    abstract Client client();

    /** Returns for whom the operation waits. */
    public abstract HostPlace where();

    /** Returns the client ID. */
    public final long clientId() {
        return client().id;
    }

    /** Returns the status of an operation that needs the client: OK while it is there. */
    abstract Nfs4Status presence();
}
