package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.FileGuard;
import io.github.rpcrdma4j.nfs.server.served.FileGuard.Subject;
import io.github.rpcrdma4j.nfs.state.ClientUse;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The files that are delegated, and those that are being changed: no file becomes delegated during
 * a change, and no change begins while another client has a delegation. Operations look here first,
 * and ask the state only about delegated files; in the grace period, in which delegations come back
 * that are not here yet, about all. Thread-safe.
 *
 * <p>Tests: {@code ChangesDuringGrantsTest}, {@code DelegationTest}.
 */
public final class DelegatedFiles {
    private static final Uses UNUSED = new Uses(0, 0, null, null);

    /**
     * How a file is used; there is an entry only if it is.
     *
     * @param changes how many changes are in progress
     * @param ofAttributes how many of them change attributes
     * @param kind the strongest delegation; null if it is not delegated
     * @param tellingChanges has the kernel tell of all changes so far; null until the state knows
     *     of the delegation
     */
    private record Uses(
            int changes, int ofAttributes, DelegationKind kind, Runnable tellingChanges) {
        Uses changes(int more, Subject subject) {
            int moreOfAttributes =
                    switch (subject) {
                        case DATA -> 0;
                        case ATTRIBUTES -> more;
                    };
            return normal(
                    new Uses(
                            changes + more, ofAttributes + moreOfAttributes, kind, tellingChanges));
        }

        Uses delegated(DelegationKind newKind, Runnable newTellingChanges) {
            return normal(new Uses(changes, ofAttributes, newKind, newTellingChanges));
        }

        private static Uses normal(Uses uses) {
            return uses.changes == 0 && uses.kind == null ? null : uses;
        }
    }

    private final StateDriver state;
    private final Map<FileKey, Uses> files = new ConcurrentHashMap<>();
    private final AtomicInteger delegated = new AtomicInteger();

    /** Those that are delegated for writing. */
    private final AtomicInteger written = new AtomicInteger();

    public DelegatedFiles(StateDriver state) {
        this.state = state;
    }

    /**
     * Marks a file as delegated before the state grants it.
     *
     * @return false if it is being changed, or has another kind of delegation
     */
    boolean delegate(FileKey file, DelegationKind kind) {
        var after =
                files.compute(
                        file,
                        (_, there) -> {
                            if (there == null) {
                                count(kind, 1);
                                return UNUSED.delegated(kind, null);
                            }
                            return there;
                        });
        return after.kind == kind;
    }

    private void count(DelegationKind kind, int change) {
        delegated.addAndGet(change);
        if (kind == DelegationKind.WRITE) {
            written.addAndGet(change);
        }
    }

    /** Returns whether a client may know more of the attributes of a file than the server. */
    public boolean mayAskClients() {
        return written.get() > 0;
    }

    /**
     * The state has granted the delegation.
     *
     * @param tellingChanges has the kernel tell of all changes of the file so far
     */
    void granted(FileKey file, Runnable tellingChanges) {
        files.computeIfPresent(file, (_, there) -> there.delegated(there.kind, tellingChanges));
    }

    /** Returns whether this server changes attributes of a file now. */
    boolean isBeingChanged(FileKey file) {
        var there = files.get(file);
        return there != null && there.ofAttributes > 0;
    }

    /** The file is not delegated any more. */
    void end(FileKey file) {
        files.computeIfPresent(
                file,
                (_, there) -> {
                    if (there.kind != null) {
                        count(there.kind, -1);
                    }
                    return there.delegated(null, null);
                });
    }

    /**
     * Returns what the operations of a call wait for.
     *
     * @param client whose own delegations do not matter
     */
    public FileGuard of(Client client) {
        return new Guard(client);
    }

    /** Tells which client of version 4 a call comes from. */
    public interface Client {
        /** None: the call is of another version. */
        Client NONE = () -> null;

        /** Returns the client of the operation in progress, or null. */
        ClientUse use();
    }

    private final class Guard implements FileGuard {
        private final Client client;

        Guard(Client client) {
            this.client = client;
        }

        @Override
        public boolean isIdle() {
            return delegated.get() == 0 && !state.isGrace();
        }

        @Override
        public void requireReadable(OpenExport export, FileId file, Check rights)
                throws StoreException {
            if (!mayDelegate(export) || isIdle()) {
                return;
            }
            var key = new ExportedFile(export.store(), file);
            var there = files.getOrDefault(key, UNUSED);
            if (there.kind != DelegationKind.READ) {
                require(key, there, false, rights);
            }
        }

        private void require(ExportedFile key, Uses there, boolean changes, Check rights)
                throws StoreException {
            if (there.kind == null && !state.isGrace()) {
                return;
            }
            // Nobody without rights learns of a delegation, or has it recalled.
            rights.require();
            boolean isBeingGranted = there.kind != null && there.tellingChanges == null;
            if (isBeingGranted || !mayUse(key, changes)) {
                throw new StoreException(
                        Failure.AGAIN, "a client has to give its delegation back first");
            }
        }

        private boolean mayUse(ExportedFile key, boolean changes) {
            var use = client.use();
            return state.happen(
                            (all, now) ->
                                    all.delegations().requireUndelegated(use, key, changes, now))
                    .isOk();
        }

        @Override
        public void beginChange(OpenExport export, FileId file, Subject subject, Check rights)
                throws StoreException {
            if (!mayDelegate(export)) {
                return;
            }
            var key = new ExportedFile(export.store(), file);
            var there =
                    files.compute(
                            key,
                            (_, before) -> (before == null ? UNUSED : before).changes(1, subject));
            boolean mayBegin = false;
            try {
                require(key, there, true, rights);
                mayBegin = true;
            } finally {
                if (!mayBegin) {
                    endChange(export, file, subject);
                }
            }
        }

        @Override
        public void endChange(OpenExport export, FileId file, Subject subject) {
            if (!mayDelegate(export)) {
                return;
            }
            var key = new ExportedFile(export.store(), file);
            if (subject == Subject.ATTRIBUTES) {
                // The notices of this change come while it is in progress.
                var there = files.get(key);
                if (there.tellingChanges != null) {
                    there.tellingChanges.run();
                }
            }
            files.computeIfPresent(key, (_, before) -> before.changes(-1, subject));
        }

        @Override
        public boolean mayDelegate(OpenExport export) {
            return export.export().delegations() != Delegations.NONE;
        }
    }
}
