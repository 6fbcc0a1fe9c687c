package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.server.served.CallerPlace;
import io.github.rpcrdma4j.nfs.server.served.Exports.Place;
import io.github.rpcrdma4j.nfs.state.ClientUse;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.GrantNote;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.share.CallerHost;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The locks of hosts that use NLM, in one table with those of version 4. Calls wait for storage and
 * for the file system. Thread-safe.
 *
 * <p>Tests: {@code NlmTest}, {@code WaitingHostsTest}.
 */
public final class HostLocks implements AutoCloseable {
    private final StateDriver state;
    private final LocalLocks local;
    private final GrantedLocks granted;
    private final SecureRandom random = new SecureRandom();

    public HostLocks(StateDriver state, LocalLocks local, FailureLog failures) {
        this.state = state;
        this.local = local;
        this.granted = new GrantedLocks(state, local, failures);
    }

    /**
     * A call about a range of a file.
     *
     * @param file what the handle names, if the caller may use it
     * @param from whose quotas the call uses
     */
    public record Call(
            HostName host,
            ClientAddress from,
            Place.Exported file,
            OpaqueName owner,
            boolean isExclusive,
            ByteRange range) {
        private HostLock lock() {
            var type = isExclusive ? LockMode.WRITE : LockMode.READ;
            return new HostLock(key(), owner, type, range);
        }

        private ExportedFile key() {
            return RegularFiles.key(file);
        }

        private Host caller() {
            return new CallerHost(from);
        }

        private HostPlace place() {
            return new HostPlace(caller(), host.address());
        }
    }

    /** Tells hosts what they have waited for. */
    public interface Granting {
        /** Calls a host, and waits for its answer. */
        GrantAnswer tell(GrantNote note) throws InterruptedException;
    }

    /** Sets what tells hosts. Until then nothing does. Set once. */
    public void onGrant(Granting granting) {
        granted.onGrant(granting);
    }

    /** Grants no more locks that hosts have waited for. Waits a little for those in progress. */
    @Override
    public void close() {
        granted.close();
    }

    public void start(Action.OfferLock offer) {
        granted.start(offer);
    }

    /** A LOCK that has arrived. Its host can give it up until it is decided: until it is closed. */
    public final class Arrival implements AutoCloseable {
        private final HostName host;
        private final long number;

        private Arrival(HostName host, long number) {
            this.host = host;
            this.number = number;
        }

        @Override
        public void close() {
            state.happen((all, now) -> all.hosts().decided(host, number, now));
        }
    }

    /**
     * A LOCK has arrived. Does not wait for storage, nor for the file system.
     *
     * @param start the number of the start that it tells
     * @return nothing if too many are not decided
     */
    public Optional<Arrival> arrived(Call call, int start) {
        var outcome =
                state.happen(
                        (all, now) ->
                                all.hosts()
                                        .arrived(
                                                call.host, call.lock(), start, call.caller(), now));
        return outcome.isOk()
                ? Optional.of(new Arrival(call.host, outcome.value()))
                : Optional.empty();
    }

    /**
     * LOCK: GRANTED, DENIED, DENIED_NOLOCKS, BLOCKED if the host is called later,
     * DENIED_GRACE_PERIOD if it has to ask again, or FAILED.
     */
    public NlmStatus lock(Call call, HostClaim claim, Arrival arrival) {
        try {
            var use = enter(call, claim.isReclaim());
            var outcome =
                    local.completed(
                            state.on(
                                    (all, now) ->
                                            all.hosts()
                                                    .lock(
                                                            use,
                                                            call.lock(),
                                                            claim,
                                                            arrival.number,
                                                            now)));
            granted.awaitCalls(outcome);
            return status(outcome);
        } catch (OperationFailure failed) {
            return of(failed.status());
        } catch (StoreException failed) {
            return of(Statuses.of(failed.failure()));
        }
    }

    private ClientUse enter(Call call, boolean isReclaim) throws OperationFailure {
        long freshId = random.nextLong();
        return state.results(
                (all, now) -> all.hosts().enter(call.host, isReclaim, freshId, call.caller(), now));
    }

    private NlmStatus status(Outcome<LockOutcome> outcome) throws OperationFailure {
        return switch (outcome.value()) {
            case null -> of(outcome.status());
            case LockOutcome.Granted _ -> {
                // If storage fails, the lock stays: the host asks for it again, or gives it up.
                state.stored(outcome);
                yield NlmStatus.GRANTED;
            }
            case LockOutcome.Denied _ -> NlmStatus.DENIED;
            case LockOutcome.Awaited _ -> NlmStatus.BLOCKED;
            case LockOutcome.Free _, LockOutcome.Asked _, LockOutcome.Held _ ->
                    throw new IllegalStateException("LOCK is granted or denied");
        };
    }

    /**
     * The results of TEST.
     *
     * @param conflict what is in the way, if the status is DENIED
     */
    public record Tested(NlmStatus status, Optional<RangeLock<StateOwner>> conflict) {}

    /** TEST: GRANTED, DENIED, DENIED_GRACE_PERIOD if the host has to ask again, or FAILED. */
    public Tested test(Call call) {
        try {
            var outcome =
                    state.on(
                            (all, now) ->
                                    all.hosts().test(call.host, call.lock(), call.caller(), now));
            return switch (outcome.value()) {
                case null -> new Tested(of(outcome.status()), Optional.empty());
                case LockOutcome.Denied(var conflict) ->
                        new Tested(NlmStatus.DENIED, Optional.of(conflict));
                case LockOutcome.Free _ -> testLocally(call);
                case LockOutcome.Granted _,
                        LockOutcome.Asked _,
                        LockOutcome.Held _,
                        LockOutcome.Awaited _ ->
                        throw new IllegalStateException("TEST does not lock");
            };
        } catch (OperationFailure failed) {
            return new Tested(of(failed.status()), Optional.empty());
        } catch (StoreException failed) {
            return new Tested(of(Statuses.of(failed.failure())), Optional.empty());
        }
    }

    private Tested testLocally(Call call) throws OperationFailure, StoreException {
        var type = call.lock().type();
        var found = local.conflict(call.place(), call.key(), type, call.range);
        return new Tested(found.isEmpty() ? NlmStatus.GRANTED : NlmStatus.DENIED, found);
    }

    /** CANCEL: GRANTED; or DENIED if the host does not wait for the lock, or has it already. */
    public NlmStatus cancel(Call call) {
        var outcome = state.happen((all, now) -> all.hosts().cancel(call.host, call.lock(), now));
        granted.awaitCalls(outcome);
        return outcome.value() ? NlmStatus.GRANTED : NlmStatus.DENIED;
    }

    /** UNLOCK: GRANTED, also if there is nothing to unlock; or DENIED_NOLOCKS. */
    public NlmStatus unlock(Call call) {
        var outcome =
                state.happen(
                        (all, now) ->
                                all.hosts()
                                        .unlock(
                                                call.host,
                                                call.key(),
                                                call.owner,
                                                call.range,
                                                now));
        granted.awaitCalls(outcome);
        local.settle(call.key());
        return of(outcome.status());
    }

    /** SHARE: GRANTED, DENIED, DENIED_NOLOCKS or DENIED_GRACE_PERIOD. */
    public NlmStatus share(Call call, boolean isReclaim, int access, int deny) {
        try {
            var use = enter(call, isReclaim);
            var outcome =
                    state.on(
                            (all, now) ->
                                    all.hosts()
                                            .share(
                                                    use,
                                                    call.key(),
                                                    call.owner,
                                                    access,
                                                    deny,
                                                    isReclaim,
                                                    now));
            return of(outcome.status());
        } catch (OperationFailure failed) {
            return of(failed.status());
        }
    }

    /** UNSHARE: always GRANTED. */
    public NlmStatus unshare(Call call) {
        return of(
                state.happen(
                                (all, now) ->
                                        all.hosts().unshare(call.host, call.key(), call.owner, now))
                        .status());
    }

    /** Returns whether a notice of a restart is about a host that has, or may reclaim, anything. */
    public boolean isKnown(HostRestart restart) {
        return state.read((all, _) -> all.hosts().isKnown(restart));
    }

    /**
     * A host has restarted: it loses what it had in other starts. Waits for calls that tell it of
     * locks from then.
     */
    public void restarted(HostRestart restart) {
        granted.awaitCalls(state.happen((all, now) -> all.hosts().restarted(restart, now)));
    }

    /**
     * Returns the text of the address of a caller in the name of a host. A user of this machine is
     * a host of its own: so it neither frees nor takes the locks of others at its address.
     */
    public static String text(InetAddress address, PeerIdentity caller) {
        return CallerPlace.ofHost(address, caller);
    }

    /** Returns whose share a call uses. */
    public static HostPlace place(RpcRequest request) {
        var address = request.peer().getAddress();
        return new HostPlace(new CallerHost(request.client()), text(address, request.identity()));
    }

    /** Returns the text of an address in the name of a host. */
    public static String text(InetAddress address) {
        return CallerPlace.ofAddress(address);
    }

    private static NlmStatus of(Nfs4Status status) {
        return switch (status) {
            case OK -> NlmStatus.GRANTED;
            case GRACE, DELAY -> NlmStatus.DENIED_GRACE_PERIOD;
            case NOSPC, LOCK_RANGE, LOCKS_HELD -> NlmStatus.DENIED_NOLOCKS;
            case DENIED, SHARE_DENIED, NO_GRACE, RECLAIM_BAD, RECLAIM_CONFLICT -> NlmStatus.DENIED;
            case STALE, BADHANDLE -> NlmStatus.STALE_FH;
            case ROFS -> NlmStatus.ROFS;
            case FBIG -> NlmStatus.FBIG;
            default -> NlmStatus.FAILED;
        };
    }
}
