package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Node.Basis;
import io.github.rpcrdma4j.nfs.server.store.linux.FileThreads.Call;

/** The use of the data of a file by a caller. */
record DataUse(LinuxNode node, Caller caller, Basis basis) {
    boolean isOfOpen() {
        return basis == Basis.OPEN;
    }

    /**
     * Returns whether the use is allowed against the mode and the access control list. The scratch
     * must hold the attributes of the file.
     */
    boolean passesMode(Call call) {
        return isOfOpen() || call.owns(caller);
    }
}
