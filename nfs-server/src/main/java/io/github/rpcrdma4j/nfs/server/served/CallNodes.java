package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.audit.Audit;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.Optional;

/**
 * Opens a file for one RPC call, so that its operations respect the delegations of other clients,
 * and report changes to an {@link Audit}.
 */
public final class CallNodes {
    private volatile FileGuard guard = FileGuard.NONE;
    private volatile Optional<Audit> audit = Optional.empty();

    /** Sets what the operations of callers without clients of version 4 wait for. */
    public void setGuard(FileGuard other) {
        guard = other;
    }

    FileGuard guard() {
        return guard;
    }

    /** Sets who learns of changes from the next call on. */
    public void setAudit(Audit other) {
        audit = Optional.of(other);
    }

    /**
     * Opens a file of an export; the caller closes it.
     *
     * @param ofCall what the operations of the call wait for
     * @throws StoreException STALE if the file is gone
     */
    Node open(OpenExport export, FileId file, ExportRule rule, Client client, FileGuard ofCall)
            throws StoreException {
        var found = export.store().node(file, Exports.mounts(rule), client.origin());
        var guarded = new GuardedNode(found, export, ofCall);
        var listening = audit;
        return listening.isEmpty()
                ? guarded
                : new AuditedNode(guarded, new AuditedCall(listening.get(), export, client));
    }
}
