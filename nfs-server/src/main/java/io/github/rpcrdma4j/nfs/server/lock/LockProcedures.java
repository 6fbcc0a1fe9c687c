package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmHolder;
import io.github.rpcrdma4j.nfs.lock.NlmLock;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.lock.NlmShare;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.server.driver.HostLocks;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.Optional;

/**
 * Carries out the procedures of NLM that have results.
 *
 * <p>Tests: {@code NlmTest}.
 */
final class LockProcedures {
    private static final int WIDE = 4;

    private final Exports exports;
    private final HostLocks locks;

    LockProcedures(Exports exports, HostLocks locks) {
        this.exports = exports;
        this.locks = locks;
    }

    /**
     * Carries out a call.
     *
     * @param version 1, 3 or 4
     * @param target where the caller is called back
     */
    NlmReply carryOut(int version, NlmCall call, Client client, HostCalls.Target target) {
        return switch (call) {
            case NlmCall.Test test -> test(version, test, client);
            case NlmCall.Lock lock ->
                    new NlmReply.Plain(lock.cookie(), lock(version, lock, client, target));
            case NlmCall.Cancel(var cookie, _, var isExclusive, var lock) ->
                    new NlmReply.Plain(
                            cookie, at(version, lock, isExclusive, client, locks::cancel));
            case NlmCall.Unlock(var cookie, var lock) ->
                    new NlmReply.Plain(cookie, at(version, lock, true, client, locks::unlock));
            // This host waits for no locks.
            case NlmCall.Granted(var cookie, _, _) -> new NlmReply.Plain(cookie, NlmStatus.DENIED);
            case NlmCall.Share(var cookie, var share, var isReclaim) ->
                    new NlmReply.Shared(cookie, share(version, share, isReclaim, client), 0);
            case NlmCall.Unshare(var cookie, var share, _) ->
                    new NlmReply.Shared(cookie, unshare(version, share, client), 0);
            case NlmCall.FreeAll _ -> throw new IllegalArgumentException("it has no results");
        };
    }

    /** What to do with a range of a file. */
    private interface Step {
        NlmStatus run(HostLocks.Call call) throws Refusal, StoreException;
    }

    /** What to do with a range of a file that has to be there. */
    private interface OpenStep {
        NlmStatus run(HostLocks.Call call, CallTarget file) throws Refusal, StoreException;
    }

    private NlmStatus lock(int version, NlmCall.Lock call, Client client, HostCalls.Target target) {
        // The file system and storage may hang meanwhile, and the host may give the lock up.
        Step step =
                range -> {
                    var arrival = locks.arrived(range, call.state());
                    if (arrival.isEmpty()) {
                        return NlmStatus.DENIED_GRACE_PERIOD;
                    }
                    try (var arrived = arrival.get()) {
                        return lock(version, call, target, arrived, client).run(range);
                    }
                };
        return at(version, call.lock(), call.isExclusive(), client, step);
    }

    private Step lock(
            int version,
            NlmCall.Lock call,
            HostCalls.Target target,
            HostLocks.Arrival arrival,
            Client client) {
        OpenStep step =
                (range, file) -> {
                    requireLockable(range, file);
                    var note =
                            new WaitingCall(
                                    range.host(), target, version, call.isExclusive(), call.lock());
                    var claim =
                            new HostClaim(
                                    call.state(), call.isReclaim(), call.isWaiting() ? note : null);
                    return locks.lock(range, claim, arrival);
                };
        return opened(version, call.lock().file(), client, step);
    }

    private NlmReply test(int version, NlmCall.Test call, Client client) {
        var found = new HostLocks.Tested[1];
        OpenStep step =
                (range, file) -> {
                    file.node().require(file.caller(), Permission.TEST_LOCK);
                    found[0] = locks.test(range);
                    return found[0].status();
                };
        var opened = opened(version, call.lock().file(), client, step);
        var status = at(version, call.lock(), call.isExclusive(), client, opened);
        return new NlmReply.Tested(
                call.cookie(),
                status,
                status == NlmStatus.DENIED
                        ? Optional.of(holder(found[0].conflict().orElseThrow()))
                        : Optional.empty());
    }

    private static NlmHolder holder(RangeLock<StateOwner> conflict) {
        var name = ProcessName.of(conflict.owner().name());
        var range = conflict.range();
        return new NlmHolder(
                conflict.type() == LockMode.WRITE,
                name.process(),
                name.owner(),
                range.first(),
                range.last() == -1 ? 0 : range.length());
    }

    private NlmStatus at(int version, NlmLock lock, boolean isExclusive, Client client, Step step) {
        var range = range(lock);
        if (range.isEmpty()) {
            return NlmStatus.FBIG;
        }
        var owner = new ProcessName(lock.process(), lock.owner());
        return at(version, lock.host(), lock.file(), owner, isExclusive, range.get(), client, step);
    }

    private NlmStatus at(
            int version,
            OpaqueName host,
            OpaqueName handle,
            ProcessName owner,
            boolean isExclusive,
            ByteRange range,
            Client client,
            Step step) {
        if (host.bytes().length > HostName.NAME_MAX
                || owner.owner().bytes().length > ProcessName.OWNER_MAX) {
            return NlmStatus.DENIED_NOLOCKS;
        }
        var from = client.peer().getAddress();
        try {
            var file = allowed(version, handle, client);
            var name = new HostName(HostLocks.text(from, client.identity()), host);
            return step.run(
                    new HostLocks.Call(
                            name,
                            client.identity().client(),
                            file,
                            owner.inTable(),
                            isExclusive,
                            range));
        } catch (Refusal refusal) {
            return status(refusal.failure());
        } catch (StoreException failure) {
            return status(failure.failure());
        }
    }

    private Exports.Place.Exported allowed(int version, OpaqueName handle, Client client)
            throws Refusal {
        var place =
                version == WIDE ? exports.place(wide(handle)) : exports.shortPlace(narrow(handle));
        if (!(place instanceof Exports.Place.Exported file)) {
            throw new Refusal(Failure.STALE);
        }
        exports.rule(file.export(), file.file(), client, false);
        return file;
    }

    private CallTarget open(int version, OpaqueName handle, Client client)
            throws Refusal, StoreException {
        return version == WIDE
                ? exports.open(wide(handle), client, false)
                : exports.openShort(narrow(handle), client, false);
    }

    private static FileHandle wide(OpaqueName handle) throws Refusal {
        byte[] bytes = handle.bytes();
        if (bytes.length > Nfs3.HANDLE_MAX) {
            throw new Refusal(Failure.BADHANDLE);
        }
        return new FileHandle(bytes);
    }

    private static byte[] narrow(OpaqueName handle) throws Refusal {
        byte[] bytes = handle.bytes();
        if (bytes.length != Mount1.HANDLE_BYTES) {
            throw new Refusal(Failure.BADHANDLE);
        }
        return bytes;
    }

    /** Opens the file for a step. What a host gives up needs no file: it may be gone, or fail. */
    private Step opened(int version, OpaqueName handle, Client client, OpenStep step) {
        return call -> {
            try (var file = open(version, handle, client)) {
                return file.node().status().type() == FileType.REGULAR
                        ? step.run(call, file)
                        : NlmStatus.FAILED;
            }
        };
    }

    /** A length of 0, or of all ones, means all bytes from the offset on. */
    private static Optional<ByteRange> range(NlmLock lock) {
        return ByteRange.of(lock.offset(), lock.length() == 0 ? -1 : lock.length());
    }

    /**
     * Those who may read a file, and its owner, may lock it against writers; those who may write to
     * it, and its owner, against all others, as with fcntl(2) and in version 4.
     *
     * @throws Refusal ROFS for an exclusive lock, if the export is read-only for the host
     */
    private static void requireLockable(HostLocks.Call call, CallTarget file)
            throws Refusal, StoreException {
        if (call.isExclusive()) {
            file.requireWritable();
        }
        file.node().require(file.caller(), call.isExclusive() ? Permission.WRITE : Permission.READ);
    }

    /**
     * Checks that a caller may use a file as it says. Who keeps others from reading needs the right
     * to write, as with OPEN.
     *
     * @throws Refusal ROFS for what needs it, if the export is read-only for the host
     */
    private static void requireUsable(CallTarget file, NlmShare share)
            throws Refusal, StoreException {
        if ((share.access() & NlmShare.WRITE) != 0 || (share.deny() & NlmShare.READ) != 0) {
            file.requireWritable();
            file.node().require(file.caller(), Permission.WRITE);
        }
        if ((share.access() & NlmShare.READ) != 0) {
            file.node().require(file.caller(), Permission.READ);
        }
    }

    private NlmStatus share(int version, NlmShare share, boolean isReclaim, Client client) {
        OpenStep step =
                (call, file) -> {
                    if (share.access() == 0) {
                        // Otherwise those without any right could keep others from the file.
                        return NlmStatus.DENIED;
                    }
                    requireUsable(file, share);
                    return locks.share(call, isReclaim, share.access(), share.deny());
                };
        return at(version, share, client, opened(version, share.file(), client, step));
    }

    private NlmStatus unshare(int version, NlmShare share, Client client) {
        return at(version, share, client, locks::unshare);
    }

    private NlmStatus at(int version, NlmShare share, Client client, Step step) {
        var owner = new ProcessName(0, share.owner());
        return at(version, share.host(), share.file(), owner, false, ByteRange.ALL, client, step);
    }

    private static NlmStatus status(Failure failure) {
        return switch (failure) {
            case STALE, BADHANDLE -> NlmStatus.STALE_FH;
            case ROFS -> NlmStatus.ROFS;
            case AGAIN -> NlmStatus.DENIED_GRACE_PERIOD;
            default -> NlmStatus.FAILED;
        };
    }
}
