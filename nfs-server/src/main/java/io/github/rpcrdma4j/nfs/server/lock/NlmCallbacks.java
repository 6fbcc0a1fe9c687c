package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.server.driver.HostLocks;
import io.github.rpcrdma4j.nfs.server.driver.HostThreads;
import io.github.rpcrdma4j.nfs.server.lock.HostCalls.NotCalled;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.GrantNote;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/** Calls hosts by NLM: GRANTED, and the results of procedures with {@code _MSG}. Thread-safe. */
final class NlmCallbacks implements HostLocks.Granting {
    /** The cookie and the status. */
    private static final long RESULTS_MAX = 2 * Integer.BYTES + OpaqueName.BYTES_MAX;

    /** The results on their way, to all hosts and to one: each has a thread. */
    private static final int RESULTS_IN_PROGRESS = 256;

    private static final int RESULTS_OF_HOST = 8;

    private final HostCalls hosts;
    private final FailureLog failures =
            new FailureLog(System.getLogger(NlmCallbacks.class.getName()));
    private final AtomicLong cookies = new AtomicLong();

    private final HostThreads sending =
            new HostThreads(
                    RESULTS_IN_PROGRESS,
                    RESULTS_OF_HOST,
                    "nlm-results",
                    failures,
                    "the results of a lock were not sent");

    NlmCallbacks(HostCalls hosts) {
        this.hosts = hosts;
    }

    @Override
    public GrantAnswer tell(GrantNote note) throws InterruptedException {
        var waiting = (WaitingCall) note;
        int version = waiting.version();
        byte[] cookie = ByteBuffer.allocate(Long.BYTES).putLong(cookies.incrementAndGet()).array();
        var call =
                new NlmCall.Granted(OpaqueName.of(cookie), waiting.isExclusive(), waiting.lock());
        try {
            var reply =
                    hosts.call(
                            waiting.target(),
                            Nlm.PROGRAM,
                            version,
                            NlmProcedure.GRANTED.number(),
                            out -> call.encode(version, out),
                            RESULTS_MAX,
                            in -> NlmReply.decode(version, NlmProcedure.GRANTED, in));
            return switch (reply.status()) {
                case GRANTED -> GrantAnswer.TAKEN;
                case DENIED_GRACE_PERIOD -> GrantAnswer.UNREACHABLE;
                case DENIED, DENIED_NOLOCKS, BLOCKED, DEADLCK, ROFS, STALE_FH, FBIG, FAILED ->
                        GrantAnswer.REFUSED;
            };
        } catch (NotCalled _) {
            return GrantAnswer.UNREACHABLE;
        } catch (RpcException _) {
            return GrantAnswer.SILENT;
        }
    }

    /**
     * Sends the results of a procedure with {@code _MSG}, once. Does not wait. If too many are on
     * their way, they are dropped: the host repeats its call.
     *
     * @param caller whose call had them
     * @param procedure the one with {@code _RES}
     */
    void send(
            HostPlace caller,
            HostCalls.Target target,
            int version,
            NlmProcedure procedure,
            NlmReply reply) {
        sending.start(caller, () -> sendNow(target, version, procedure, reply));
    }

    private void sendNow(
            HostCalls.Target target, int version, NlmProcedure procedure, NlmReply reply) {
        try {
            hosts.call(
                    target,
                    Nlm.PROGRAM,
                    version,
                    procedure.number(),
                    out -> reply.encode(version, out),
                    0,
                    _ -> NlmStatus.GRANTED);
        } catch (NotCalled | RpcException _) {
            // The host repeats its call.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
