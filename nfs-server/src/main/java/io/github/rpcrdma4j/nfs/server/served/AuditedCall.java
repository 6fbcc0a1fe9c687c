package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.audit.Audit;
import io.github.rpcrdma4j.nfs.server.audit.AuditEntry;
import io.github.rpcrdma4j.nfs.server.audit.AuditedChange;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.Optional;

/**
 * Reports to an {@link Audit} each change that one RPC call makes, with the client and the export
 * of the call.
 */
record AuditedCall(Audit audit, OpenExport export, Client client) {
    private static final FailureLog FAILURES =
            new FailureLog(System.getLogger(AuditedCall.class.getName()));

    /**
     * Tells of a change.
     *
     * @param failure why the call failed; empty if it succeeded
     */
    void tell(Caller caller, AuditedChange change, Optional<Failure> failure) {
        try {
            audit.tell(
                    new AuditEntry(
                            client.peer(),
                            client.version(),
                            client.claimed(),
                            user(caller),
                            export.export().name(),
                            change,
                            failure.map(Failure::name)));
        } catch (RuntimeException broken) {
            // The change has been made.
            FAILURES.report("an audit missed a change", broken);
        }
    }

    private Optional<AuditEntry.User> user(Caller caller) {
        return caller instanceof Caller.User user && export.store().actsForCallers()
                ? Optional.of(new AuditEntry.User(user.uid(), user.gid()))
                : Optional.empty();
    }
}
