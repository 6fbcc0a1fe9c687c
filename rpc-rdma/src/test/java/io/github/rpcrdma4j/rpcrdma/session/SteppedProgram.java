package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;

/**
 * An {@link EchoProgram} whose procedures take a random time. Most are declared as usually quick;
 * now and then one is slow and blocks the polling thread.
 */
final class SteppedProgram extends OneVersion {
    private static final long QUICK_NANOS_MAX = 20_000;
    private static final long SLOW_NANOS_MAX = 15_000_000;

    /** A procedure that is declared as usually quick, and hangs. */
    static final int HANG = 9;

    private static final long HANG_NANOS = Duration.ofSeconds(20).toNanos();
    private static final Duration CALL_BACK_TIMEOUT = Duration.ofMillis(20);

    private final EchoProgram echo = new EchoProgram();
    private final SimWorld world;
    private final SteppedThreads threads;
    private int answers;
    private int running;

    SteppedProgram(SimWorld world, SteppedThreads threads) {
        super(EchoProgram.PROGRAM, 1);
        this.world = world;
        this.threads = threads;
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return switch (procedure) {
            case 0 -> ProcedureDescriptor.NULL;
            case EchoProgram.TELL -> REPEATABLE;
            default -> REPEATABLE.withCost(Cost.USUALLY_QUICK);
        };
    }

    /** Returns whether a procedure calls back; a usually quick one waits for no other call. */
    private static boolean callsBack(int procedure) {
        return procedure == EchoProgram.TELL;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        running++;
        try {
            return carryOut(request, results);
        } finally {
            running--;
        }
    }

    private AcceptStatus carryOut(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        if (request.procedure() == HANG) {
            takeExactly(HANG_NANOS);
            return AcceptStatus.SUCCESS;
        }
        if (request.procedure() != 0) {
            switch (world.random().nextInt(8)) {
                case 0 -> take(SLOW_NANOS_MAX);
                case 1, 2, 3 -> take(QUICK_NANOS_MAX);
                default -> threads.yieldToOthers();
            }
        }
        if (callsBack(request.procedure()) && request.reverse().isPresent()) {
            callBack(request.reverse().get());
        }
        return echo.call(request, results);
    }

    /** Calls the client back; a client that serves no program does not answer. */
    private void callBack(ReverseDirection reverse) throws InterruptedException {
        var call = new RpcCall(CallbackProgram.PROGRAM, 1, 1, _ -> {}, 0);
        try (var _ = reverse.client(new Credential.None()).call(call, CALL_BACK_TIMEOUT)) {
            answers++;
        } catch (RpcException _) {
            threads.yieldToOthers();
        }
    }

    /** Returns how many calls to clients were answered. */
    int answers() {
        return answers;
    }

    /** Returns how many calls are being carried out. */
    int running() {
        return running;
    }

    private void take(long nanosMax) throws InterruptedException {
        takeExactly(world.random().nextLong(nanosMax));
    }

    private void takeExactly(long nanos) throws InterruptedException {
        long end = world.nanoTime() + nanos;
        while (world.nanoTime() < end) {
            threads.park(this, end - world.nanoTime());
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
