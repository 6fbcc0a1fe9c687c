package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.admin.Administration;
import io.github.rpcrdma4j.nfs.server.admin.AwaitedClient;
import io.github.rpcrdma4j.nfs.server.admin.ServedClient;
import io.github.rpcrdma4j.nfs.server.admin.ServedCopy;
import io.github.rpcrdma4j.nfs.server.admin.ServedDelegation;
import io.github.rpcrdma4j.nfs.server.admin.ServedFile;
import io.github.rpcrdma4j.nfs.server.admin.ServedLock;
import io.github.rpcrdma4j.nfs.server.admin.ServedOpen;
import io.github.rpcrdma4j.nfs.server.admin.ServedOpen.Share;
import io.github.rpcrdma4j.nfs.server.admin.ServedSession;
import io.github.rpcrdma4j.nfs.server.admin.StateCounts;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.state.event.ClientStatus;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.SessionStatus;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.share.CallerHost;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Shows the state to administrators. Files are looked up without the lock of the state.
 *
 * <p>Tests: {@code AdministrationTest}.
 */
public final class StateAdministration implements Administration {
    private final StateDriver state;
    private final Exports exports;
    private final String records;

    /**
     * @param records where the records of clients are
     */
    public StateAdministration(StateDriver state, Exports exports, String records) {
        this.state = state;
        this.records = records;
        this.exports = exports;
    }

    @Override
    public StateCounts counts() {
        var held = state.read((all, _) -> all.snapshots().counts());
        return new StateCounts(
                held.isGrace(),
                held.clients(),
                held.sessions(),
                held.opens(),
                held.ranges(),
                held.delegations(),
                held.copies());
    }

    @Override
    public List<ServedClient> clients(int max) {
        return state.read((all, now) -> all.snapshots().clients(max, now)).stream()
                .map(StateAdministration::client)
                .toList();
    }

    private static ServedClient client(ClientStatus status) {
        return new ServedClient(
                status.clientId(),
                status.name().toString(),
                status.principal().name(),
                ((CallerHost) status.host()).address().toString(),
                status.implementation(),
                status.isConfirmed(),
                Duration.ofNanos(status.idleNanos()),
                status.isExpired(),
                status.isRecorded(),
                status.reclaimComplete(),
                status.sessions(),
                status.states(),
                status.lost(),
                status.ranges());
    }

    @Override
    public List<AwaitedClient> awaited(int max) {
        return state.read((all, _) -> all.snapshots().awaited(max)).stream()
                .map(each -> new AwaitedClient(each.owner().toString(), each.principal().name()))
                .toList();
    }

    @Override
    public List<ServedSession> sessions(int max) {
        return state.read((all, _) -> all.snapshots().sessions(max)).stream()
                .map(StateAdministration::session)
                .toList();
    }

    private static ServedSession session(SessionStatus status) {
        return new ServedSession(
                status.id().toString(),
                status.clientId(),
                status.slots(),
                status.running(),
                status.connections(),
                status.backConnections(),
                status.callsBack());
    }

    @Override
    public List<ServedOpen> opens(int max) {
        return state.read((all, _) -> all.snapshots().opens(max)).stream()
                .map(
                        each ->
                                new ServedOpen(
                                        file(each.file()),
                                        each.owner().clientId(),
                                        each.owner().name().toString(),
                                        share(each.access()),
                                        share(each.deny())))
                .toList();
    }

    private static Share share(int bits) {
        return Share.values()[bits];
    }

    @Override
    public List<ServedDelegation> delegations(int max) {
        return state.read((all, _) -> all.snapshots().delegations(max)).stream()
                .map(
                        each ->
                                new ServedDelegation(
                                        file(each.file()),
                                        each.clientId(),
                                        each.kind() == DelegationKind.WRITE,
                                        each.isRecalled()))
                .toList();
    }

    @Override
    public List<ServedLock> locks(int max) {
        return state.read((all, _) -> all.snapshots().locks(max)).stream()
                .map(
                        each ->
                                new ServedLock(
                                        file(each.file()),
                                        each.lock().owner().clientId(),
                                        each.lock().owner().name().toString(),
                                        each.lock().type() == LockMode.WRITE,
                                        each.lock().range().first(),
                                        each.lock().range().length()))
                .toList();
    }

    @Override
    public List<ServedCopy> copies(int max) {
        return state.read((all, _) -> all.copies().shown(max)).stream()
                .map(
                        each ->
                                new ServedCopy(
                                        file(each.file()),
                                        each.clientId(),
                                        each.bytes(),
                                        each.length(),
                                        each.isRunning()))
                .toList();
    }

    private ServedFile file(FileKey key) {
        var file = (ExportedFile) key;
        var export = exports.find(file.store());
        return new ServedFile(
                export.map(each -> each.export().name()).orElse("an export that is gone"),
                inode(file));
    }

    private static OptionalLong inode(ExportedFile file) {
        try (var node = file.open()) {
            return OptionalLong.of(node.status().number());
        } catch (StoreException _) {
            return OptionalLong.empty();
        }
    }

    @Override
    public Optional<ServedClient> end(long clientId) throws IOException {
        try {
            var outcome = state.on((all, now) -> all.revocations().client(clientId, now));
            return Optional.ofNullable(outcome.value()).map(StateAdministration::client);
        } catch (OperationFailure _) {
            throw new IOException(
                    "the client has lost its opens and locks, but its record in "
                            + records
                            + " is not removed yet, so it could reclaim them after a restart: look"
                            + " whether the directory is writable; the server tries again every"
                            + " second");
        }
    }
}
