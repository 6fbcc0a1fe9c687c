package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.linux.KernelSetting;
import io.github.rpcrdma4j.nfs.server.admin.Administration;
import io.github.rpcrdma4j.nfs.server.driver.Callbacks;
import io.github.rpcrdma4j.nfs.server.driver.ClientRecords;
import io.github.rpcrdma4j.nfs.server.driver.Connections;
import io.github.rpcrdma4j.nfs.server.driver.DelegatedFiles;
import io.github.rpcrdma4j.nfs.server.driver.HostLocks;
import io.github.rpcrdma4j.nfs.server.driver.LocalLeases;
import io.github.rpcrdma4j.nfs.server.driver.LocalLocks;
import io.github.rpcrdma4j.nfs.server.driver.StateAdministration;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.driver.StateNotices;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The NFS version 4 service of a server: its RPC program, and the state of its clients, such as
 * sessions, opens, locks and delegations. It has a thread, which tells the state that time passes.
 *
 * <p>Tests: {@code Nfs4RestartTest}.
 */
public final class Nfs4Service implements AutoCloseable {
    /** How long an operation on locks waits for a file system that hangs. */
    private static final Duration LOCK_TIME = Duration.ofSeconds(3);

    /** How long an OPEN waits for it with a delegation. */
    private static final Duration LEASE_TIME = Duration.ofSeconds(1);

    /** Says how long the kernel lets a process wait for a file with a kernel lease, in seconds. */
    private static final Path LOCAL_SECONDS = Path.of("/proc/sys/fs/lease-break-time");

    private static final Duration USUAL_LOCAL_TIME = Duration.ofSeconds(45);

    private final LocalLocks locks;
    private final HostLocks hostLocks;
    private final LocalLeases leases;
    private final StateDriver state;
    private final Optional<Copier> copier;
    private final ClientRecords records;
    private final Nfs4Program program;
    private final Administration administration;

    /**
     * @param transferMax the most data of a READ or WRITE, in bytes
     * @param failures logs internal errors
     */
    public Nfs4Service(
            Exports exports,
            Nfs4Settings settings,
            Callers callers,
            NfsStatistics statistics,
            int transferMax,
            FailureLog failures) {
        var connections = new Connections();
        var notices = new StateNotices();
        records = settings.records();
        state = new StateDriver(state(settings, exports), records, connections, notices, failures);
        locks = new LocalLocks(state, LOCK_TIME, failures);
        hostLocks = new HostLocks(state, locks, failures);
        var callbacks = new Callbacks(state, connections, exports, failures);
        var delegated = new DelegatedFiles(state);
        leases = new LocalLeases(exports, delegated, state, LEASE_TIME, failures);
        exports.nodes().setGuard(delegated.of(DelegatedFiles.Client.NONE));
        state.onAction(action -> start(action, callbacks));
        var changes = new ChangeCounter();
        var async = new Copier(exports, state, delegated, changes, settings.lease(), failures);
        copier = settings.asyncCopies() ? Optional.of(async) : Optional.empty();
        int leaseSeconds = Math.toIntExact(settings.lease().toSeconds());
        var owners = new OwnerNames(callers.identities());
        var server = new ServerFacts(leaseSeconds, transferMax, settings.delegatedTimes());
        var facts = new FactsReader(server, changes, owners);
        var attributes =
                new ChangeOperations(server, state, changes, owners, InstantSource.system());
        var known = new DelegatedAttributes(state, callbacks, InstantSource.system());
        var listings = new DirectoryOperations(facts, known);
        var names = new NameOperations(attributes, changes, listings, state);
        var delegating = new Delegating(server, state, callbacks, leases, changes);
        var opening = new Opening(state, attributes, changes, names, delegating);
        var opens = new OpenOperations(state, opening, locks, leases);
        var ranges = new LockOperations(state, locks);
        var operations =
                new Operations(
                        new SessionOperations(state, settings.identity()),
                        new ClientUses(state),
                        new LeaseOperations(state),
                        new OwnerOperations(state, opens, ranges),
                        new HandleOperations(),
                        opens,
                        ranges,
                        new DataOperations(
                                state,
                                changes,
                                statistics,
                                transferMax,
                                new RangeOperations(state, changes, transferMax)),
                        new CopyOperations(state, changes, copier),
                        new XattrOperations(names),
                        names,
                        new AttributeOperations(facts, attributes, known));
        var compounds =
                new Compounds(
                        settings.minorVersions(),
                        exports,
                        state,
                        delegated,
                        operations,
                        statistics,
                        failures);
        administration = new StateAdministration(state, exports, records.place());
        program = new Nfs4Program(exports, connections, callers, notices, delegated, compounds);
    }

    private void start(Action action, Callbacks callbacks) {
        switch (action) {
            case Action.KernelLock change -> locks.start(change);
            case Action.KernelLease change -> leases.start(change);
            case Action.OfferLock offer -> hostLocks.start(offer);
            case Action.Call call -> callbacks.start(call);
            case Action.CloseFile _, Action.Storage _, Action.AwaitCall _, Action.Notice _ -> {}
        }
    }

    private static StateSettings state(Nfs4Settings settings, Exports exports) {
        var limits = StateLimits.forMemory(Runtime.getRuntime().maxMemory());
        var locks = limits.locks();
        return new StateSettings(
                settings.records().bootEpoch(),
                KeyedHash.random(),
                settings.lease().toNanos(),
                settings.grace().toNanos(),
                LocalLeases.timeForClients(localTime()).toNanos(),
                limits.withDelegations(Math.min(limits.delegations(), exports.leasedFilesMax()))
                        .withLocks(
                                locks.withFiles(
                                        Math.min(locks.files(), exports.lockedFilesMax()))));
    }

    private static Duration localTime() {
        var found = KernelSetting.read(LOCAL_SECONDS);
        if (found.isEmpty()) {
            return USUAL_LOCAL_TIME;
        }
        long seconds = found.getAsLong();
        // The kernel takes 0 for "for ever".
        return seconds > 0 ? Duration.ofSeconds(seconds) : ChronoUnit.YEARS.getDuration();
    }

    /** Returns the number of this start of the server, and the records of earlier ones. */
    public ClientRecords records() {
        return records;
    }

    /** Returns the locks of hosts that use NLM. */
    public HostLocks hostLocks() {
        return hostLocks;
    }

    public RpcProgram program() {
        return program;
    }

    /**
     * Stops the thread and releases the records. The program must not be called any more.
     *
     * @throws UncheckedIOException if the records cannot be released; the message is one line
     */
    @Override
    public void close() {
        copier.ifPresent(Copier::close);
        hostLocks.close();
        state.close();
        leases.closeAll();
        locks.closeAll();
        try {
            records.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(
                    "the last changes of the records of clients may be lost: "
                            + failed.getMessage(),
                    failed);
        }
    }

    /**
     * Takes what all clients have of the files of a store, which is not served any more. They get
     * no more of it.
     *
     * @return how many opens, lock owners and delegations have ended
     */
    public int end(FileStore store) {
        return state.happen((all, now) -> all.revocations().store(store, now)).value();
    }

    /** Forgets a store that is closed. */
    public void forget(FileStore store) {
        copier.ifPresent(each -> each.forget(store));
        state.happen((all, now) -> all.revocations().closed(store, now));
    }

    /** Returns what administrators see and do. */
    public Administration administration() {
        return administration;
    }
}
