package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.driver.DelegatedFiles;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.FileGuard;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.ClientUse;
import io.github.rpcrdma4j.nfs.state.SlotUse;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.List;

/**
 * What the operations of one COMPOUND share: its caller, its session, and the current and saved
 * filehandles and stateids (RFC 8881, Sections 16.2.3.1.1 and 16.2.3.1.2). Closing it closes the
 * files.
 *
 * <p>Tests: {@code CurrentStateIdTest}, {@code CompoundRulesTest}.
 */
final class Compound implements AutoCloseable, DelegatedFiles.Client {
    private final Exports exports;
    private final FileGuard guard;
    private final Client client;
    private final Sender sender;
    private final SegmentPool pool;
    private final int minorVersion;
    private final List<CallTarget> opened = new ArrayList<>();

    private CurrentFile current;
    private CurrentFile saved;
    private StateId currentStateId = StateId.INVALID;
    private StateId savedStateId = StateId.INVALID;
    private SlotUse slot;
    private ClientUse named;
    private boolean hasNamed;

    Compound(
            Exports exports,
            DelegatedFiles delegated,
            Client client,
            Sender sender,
            SegmentPool pool,
            int minorVersion) {
        this.exports = exports;
        this.guard = delegated.of(this);
        this.client = client;
        this.sender = sender;
        this.pool = pool;
        this.minorVersion = minorVersion;
    }

    Exports exports() {
        return exports;
    }

    Client client() {
        return client;
    }

    Sender sender() {
        return sender;
    }

    /** Returns what lends memory for bulk results. */
    SegmentPool pool() {
        return pool;
    }

    int minorVersion() {
        return minorVersion;
    }

    /** Returns the client of the operation in progress; null if it has none. */
    @Override
    public ClientUse use() {
        return minorVersion == 0 ? named : slot;
    }

    /** Returns the client ID of the session; 0 if there is none. */
    long clientId() {
        return slot == null ? 0 : slot.clientId();
    }

    /**
     * Refuses what makes clients, or sessions by the ID of a client, to a caller that no export
     * takes calls from: of a host with {@code secure} rules alone, only root has clients.
     *
     * @throws OperationFailure CLID_INUSE, which all these operations have: the name may be that of
     *     root's client. Linux tells its user that the mount is not permitted.
     */
    void requireAdmitted() throws OperationFailure {
        if (!exports.admit(client)) {
            exports.notices().refusedClient(client);
            throw new OperationFailure(Nfs4Status.CLID_INUSE);
        }
    }

    /**
     * Begins an operation by which a client names itself: there is one in a COMPOUND, so that
     * nobody tries many names and verifiers at once.
     *
     * @throws OperationFailure TOO_MANY_OPS for another one (RFC 8881, Section 15.1.3.3), in minor
     *     version 0 RESOURCE (RFC 7530, Section 16.2.4)
     */
    void beginNaming() throws OperationFailure {
        requireAdmitted();
        if (hasNamed) {
            throw new OperationFailure(Nfs4Status.TOO_MANY_OPS);
        }
        hasNamed = true;
    }

    /** Begins an operation of minor version 0, with the client that it names. */
    void actFor(ClientUse client) {
        named = client;
    }

    /** Returns how long the reply may be; null for the operations that have no session. */
    ReplyLimits limits() {
        if (minorVersion == 0) {
            return ReplyLimits.VERSION_0;
        }
        return slot == null ? null : ReplyLimits.of(slot);
    }

    /** Returns the slot that SEQUENCE took; null for the operations that have no session. */
    SlotUse slot() {
        return slot;
    }

    void begin(SlotUse started) {
        slot = started;
    }

    /**
     * Returns the current filehandle.
     *
     * @throws OperationFailure NOFILEHANDLE if there is none
     */
    CurrentFile current() throws OperationFailure {
        return present(current);
    }

    /**
     * Returns the saved filehandle.
     *
     * @throws OperationFailure NOFILEHANDLE if there is none
     */
    CurrentFile saved() throws OperationFailure {
        return present(saved);
    }

    private static CurrentFile present(CurrentFile file) throws OperationFailure {
        if (file == null) {
            throw new OperationFailure(Nfs4Status.NOFILEHANDLE);
        }
        return file;
    }

    /** Changes the current filehandle; then there is no current stateid. */
    void setCurrent(CurrentFile file) {
        current = file;
        currentStateId = StateId.INVALID;
    }

    void save() throws OperationFailure {
        saved = current();
        savedStateId = currentStateId;
    }

    /**
     * @throws OperationFailure RESTOREFH if no filehandle is saved
     */
    void restore() throws OperationFailure {
        if (saved == null) {
            throw new OperationFailure(Nfs4Status.RESTOREFH);
        }
        current = saved;
        currentStateId = savedStateId;
    }

    void setCurrentStateId(StateId stateId) {
        currentStateId = stateId;
    }

    /**
     * Returns the stateid of an argument, with the current stateid in place of its special value.
     *
     * @throws OperationFailure BAD_STATEID if there is no current stateid
     */
    StateId resolve(StateId argument) throws OperationFailure {
        // Minor version 0 has no current stateid.
        return minorVersion == 0 ? argument : resolve(argument, currentStateId);
    }

    /** Returns the stateid of an argument that belongs to the saved filehandle. */
    StateId resolveSaved(StateId argument) throws OperationFailure {
        return resolve(argument, savedStateId);
    }

    private static StateId resolve(StateId argument, StateId current) throws OperationFailure {
        if (!argument.equals(StateId.CURRENT)) {
            return argument;
        }
        if (current.equals(StateId.INVALID)) {
            throw new OperationFailure(Nfs4Status.BAD_STATEID);
        }
        return current;
    }

    /**
     * Opens a file of an export for this call. It stays open until the COMPOUND ends.
     *
     * @throws Refusal WRONGSEC, ACCES or PERM: see {@link Exports}
     * @throws StoreException STALE if the file is gone
     */
    CallTarget open(CurrentFile.Exported file) throws Refusal, StoreException {
        if (file.target == null) {
            file.target = exports.open(file.export(), file.file(), client, false, guard);
            opened.add(file.target);
        }
        return file.target;
    }

    /**
     * Opens the current file, which has to be a regular one.
     *
     * @throws OperationFailure ISDIR, SYMLINK or WRONG_TYPE
     */
    CallTarget regular() throws OperationFailure, Refusal, StoreException {
        return regular(current());
    }

    /** Opens the saved file, which has to be a regular one. */
    CallTarget savedRegular() throws OperationFailure, Refusal, StoreException {
        return regular(saved());
    }

    private CallTarget regular(CurrentFile file) throws OperationFailure, Refusal, StoreException {
        if (!(file instanceof CurrentFile.Exported exported)) {
            throw new OperationFailure(Nfs4Status.ISDIR);
        }
        var target = open(exported);
        RegularFiles.requireRegular(target.node().status().type());
        return target;
    }

    /**
     * Returns the identity of the current file, which need not exist any more.
     *
     * @throws OperationFailure ISDIR for a pseudo directory
     */
    ExportedFile regularKey() throws OperationFailure {
        return switch (current()) {
            case CurrentFile.Exported file -> new ExportedFile(file.export().store(), file.file());
            case CurrentFile.Pseudo _ -> throw new OperationFailure(Nfs4Status.ISDIR);
        };
    }

    /**
     * Returns whether a file is at another server.
     *
     * @throws Refusal WRONGSEC, ACCES or PERM, if its export admits the caller to no files
     */
    boolean isMoved(CurrentFile.Exported file) throws Refusal, StoreException {
        if (file.target != null || Exports.moved(file.export(), client).isEmpty()) {
            return false;
        }
        try {
            open(file);
            return false;
        } catch (Refusal refusal) {
            if (refusal.failure() != Failure.MOVED) {
                throw refusal;
            }
            return true;
        }
    }

    /**
     * Returns the current filehandle.
     *
     * @throws OperationFailure NOFILEHANDLE if there is none, MOVED if it is of a file system that
     *     is at another server
     */
    CurrentFile present() throws OperationFailure, Refusal, StoreException {
        var file = current();
        if (file instanceof CurrentFile.Exported exported && isMoved(exported)) {
            throw new OperationFailure(Nfs4Status.MOVED);
        }
        return file;
    }

    /** Returns whether any file is delegated. */
    boolean hasDelegatedFiles() {
        return !guard.isIdle();
    }

    @Override
    public void close() {
        opened.forEach(CallTarget::close);
    }
}
