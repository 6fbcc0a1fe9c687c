package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.SessionRefused;
import io.github.rpcrdma4j.nfs.client.v4.v40.ClientGone;
import io.github.rpcrdma4j.nfs.client.v4.v40.LeaseState;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Introduces a client of version 4.0 to its server, and again when the server has forgotten it,
 * with the state that the client had (RFC 7530, Sections 9.1.1, 9.6.2 and 16.33). The name of the
 * client stays. Its verifier is another one after an expired lease, so that the server drops what
 * it may have left. Used by one thread at a time.
 *
 * <p>Tests: {@code LeaseTest}.
 */
final class LeaseRecovery implements RecoveryCalls {
    /**
     * There is no program for callbacks, so there are no delegations: the client names port 0 (RFC
     * 8267-6.5.1-2).
     */
    private static final LeaseArguments.CallbackPlace NO_CALLBACKS =
            new LeaseArguments.CallbackPlace(0, text("tcp"), text("0.0.0.0.0.0"));

    /** The most bytes of results: where another client of the name is. */
    private static final int RESULTS_MAX = 512;

    /** So often the server may restart during a recovery. */
    private static final int RESTARTS_MAX = 8;

    private final Nfs4Lease lease;
    private final LeaseStanding standing;
    private final ClientOwner name;
    private final LeasedState held;

    /** Is added to the verifier of the name. */
    private int incarnation;

    private boolean isKnown;
    private long known;

    LeaseRecovery(Nfs4Lease lease, LeaseStanding standing, ClientOwner name, LeasedState held) {
        this.lease = lease;
        this.standing = standing;
        this.name = name;
        this.held = held;
    }

    private static OpaqueName text(String ascii) {
        return OpaqueName.of(ascii.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Brings the lease back.
     *
     * @throws IOException if that failed: it may be tried again
     */
    void run() throws IOException, InterruptedException {
        for (int i = 0; i < RESTARTS_MAX && !standing.isHeld(); i++) {
            try {
                if (standing.state() == LeaseState.DOUBTED) {
                    settleDoubt();
                }
                if (!standing.state().isIntroduced()) {
                    introduce();
                }
                if (standing.state() == LeaseState.HELD && !standing.isHeld()) {
                    held.claim();
                    standing.claimed(LeaseTime.ask(this));
                }
            } catch (ClientGone _) {
                // The server has restarted once more.
            }
        }
        if (!standing.isHeld()) {
            throw new IOException("the server forgets this client each time");
        }
    }

    private void settleDoubt() throws IOException, InterruptedException {
        boolean isKept = isRenewed(lease, standing);
        if (!isKept && standing.state() == LeaseState.DOUBTED) {
            throw new NfsException("cannot renew the lease", Status.JUKEBOX);
        }
    }

    @Override
    public CompoundCalls calls() {
        return lease;
    }

    @Override
    public <T> T once(Plan plan, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        return lease.once(plan, what, lease.timeout(), _ -> {}, decoding);
    }

    /**
     * Renews a lease by RENEW. What the server says of the client is known then.
     *
     * @return whether it is renewed
     */
    static boolean isRenewed(Nfs4Lease lease, LeaseStanding standing)
            throws IOException, InterruptedException {
        long since = lease.threads().nanoTime();
        var began = standing.now();
        var renew = new LeaseArguments.Renew(standing.clientId());
        var status = send(lease, renew, 0).status();
        boolean isDone = status == Nfs4Status.OK;
        if (isDone) {
            standing.renewed(since);
        } else {
            standing.heard(status, began);
        }
        return isDone;
    }

    private void introduce() throws IOException, InterruptedException {
        boolean isExpired = standing.state() == LeaseState.EXPIRED;
        if (isExpired) {
            incarnation++;
        }
        long id = confirmed();
        boolean isOther = isKnown && (isExpired || id != known);
        known = id;
        isKnown = true;
        if (isOther) {
            held.forgotten(!isExpired);
        }
        standing.introduced(id);
    }

    /**
     * Returns the ID that the server has given to the client, and that the client has confirmed.
     */
    private long confirmed() throws IOException, InterruptedException {
        var retry = new DeferredRetry(lease.timeout(), lease.threads().nanoTime());
        while (true) {
            try {
                var owner = new ClientOwner(name.verifier() + incarnation, name.name());
                var given =
                        result(
                                new LeaseArguments.SetClientId(owner, NO_CALLBACKS, 0),
                                LeaseResult.SetClientId.class);
                result(
                        new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier()),
                        Result.class);
                return given.clientId();
            } catch (SessionRefused refused) {
                var due = retry.next(lease.threads().nanoTime());
                if (!isForNow(refused) || due.isEmpty()) {
                    throw refused;
                }
                lease.threads().sleep(due.getAsLong() - lease.threads().nanoTime());
            }
        }
    }

    /** The server is busy, or has restarted between the two calls. */
    private static boolean isForNow(SessionRefused refused) {
        return refused.status() == Nfs4Status.DELAY
                || refused.status() == Nfs4Status.STALE_CLIENTID;
    }

    private <T extends Result> T result(Arguments operation, Class<T> type)
            throws IOException, InterruptedException {
        var answer = send(lease, operation, RESULTS_MAX);
        var results = answer.results();
        if (answer.status() != Nfs4Status.OK) {
            throw new SessionRefused(operation.opcode(), answer.status());
        }
        if (results.isEmpty() || !type.isInstance(results.getFirst())) {
            throw new RpcException.BadReply(
                    "the server's answer is malformed"
                            + answer.malformed().map(each -> ": " + each).orElse(""));
        }
        return type.cast(results.getFirst());
    }

    private static Answer send(Nfs4Lease lease, Arguments operation, int resultsMax)
            throws IOException, InterruptedException {
        var call = new Compounds(0).alone(Plan.EMPTY.session(operation, resultsMax));
        try (var reply = lease.client().call(call.rpc(), lease.timeout())) {
            return Answer.decode(reply.results(), call.operations());
        }
    }
}
