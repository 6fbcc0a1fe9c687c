package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program with a procedure for every outcome of a call.
 *
 * <pre>
 *   0 NULL
 *   1 FETCH   length        ->  bulk data, each byte its length modulo 256
 *   2 STORE   bulk data     ->  its length
 *   3 FAIL                  ->  throws
 *   4 LEAVE   word          ->  writes results and ends with PROG_MISMATCH
 *   5 STOP                  ->  interrupted
 *   6 WAIT                  ->  waits for letGo
 *   7 SWAP    bulk data     ->  the same
 *   8 BREAK                 ->  throws an Error
 *   9 FORGET                ->  no status
 * </pre>
 */
public class PatternProgram implements RpcProgram {
    public static final int PROGRAM = 0x2000_0099;
    public static final int FETCH = 1;
    public static final int STORE = 2;
    public static final int FAIL = 3;
    public static final int LEAVE = 4;
    public static final int STOP = 5;
    public static final int WAIT = 6;
    public static final int SWAP = 7;
    public static final int BREAK = 8;
    public static final int FORGET = 9;
    private static final long MAX = 64 << 20;
    private static final ProcedureDescriptor REPEATABLE =
            ProcedureDescriptor.ORDINARY.withRepeatable(true);

    private final int lowestVersion;
    private final int highestVersion;
    private final int program;
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final AtomicInteger waitingNow = new AtomicInteger();
    private final AtomicInteger waitingMax = new AtomicInteger();
    private final CountDownLatch letGo = new CountDownLatch(1);

    public PatternProgram(int lowestVersion, int highestVersion) {
        this(lowestVersion, highestVersion, PROGRAM);
    }

    public PatternProgram(int lowestVersion, int highestVersion, int program) {
        this.lowestVersion = lowestVersion;
        this.highestVersion = highestVersion;
        this.program = program;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(program, lowestVersion, highestVersion);
    }

    /** Waits until the first call of WAIT is in progress. */
    public void awaitWaiting() throws InterruptedException {
        waiting.await();
    }

    /** Returns the most calls of WAIT that were in progress at the same time. */
    public int waitingMax() {
        return waitingMax.get();
    }

    /** Lets all calls of WAIT end. */
    public void letGo() {
        letGo.countDown();
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return switch (procedure) {
            case 0 -> ProcedureDescriptor.NULL;
            case FETCH -> REPEATABLE.withCost(ProcedureDescriptor.Cost.USUALLY_QUICK);
            default -> REPEATABLE;
        };
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        var in = request.arguments();
        switch (request.procedure()) {
            case 0 -> in.finish();
            case FETCH -> {
                int length = in.uint32();
                in.finish();
                bulk(request, results, length);
            }
            case STORE -> {
                long length = in.bulk(MAX).byteSize();
                in.finish();
                results.uint64(length);
            }
            case FAIL -> {
                bulk(request, results, 100);
                throw new IllegalStateException("the program fails on purpose");
            }
            case LEAVE -> {
                bulk(request, results.uint32(in.uint32()), 100);
                return AcceptStatus.PROG_MISMATCH;
            }
            case STOP -> {
                bulk(request, results, 100);
                throw new InterruptedException();
            }
            case WAIT -> {
                waitingMax.accumulateAndGet(waitingNow.incrementAndGet(), Math::max);
                waiting.countDown();
                try {
                    letGo.await();
                } finally {
                    waitingNow.decrementAndGet();
                }
            }
            case SWAP -> {
                var data = in.bulk(MAX);
                in.finish();
                var lease = request.pool().lease(data.byteSize());
                results.bulk(lease.segment(), lease::close);
                lease.segment().copyFrom(data);
            }
            case BREAK -> {
                bulk(request, results, 100);
                throw new AssertionError("the program breaks on purpose");
            }
            case FORGET -> {
                return null;
            }
            default -> {
                return AcceptStatus.PROC_UNAVAIL;
            }
        }
        return AcceptStatus.SUCCESS;
    }

    private static void bulk(RpcRequest request, XdrWriter results, int length) {
        var lease = request.pool().lease(length);
        results.bulk(lease.segment(), lease::close);
        lease.segment().fill((byte) length);
    }

    public static RpcCall nullCall() {
        return new RpcCall(PROGRAM, 1, 0, _ -> {}, 0);
    }

    public static RpcCall fetch(int length) {
        return new RpcCall(PROGRAM, 1, FETCH, out -> out.uint32(length), 4L + length);
    }

    public static RpcCall store(MemorySegment data) {
        return new RpcCall(PROGRAM, 1, STORE, out -> out.bulk(data), Long.BYTES);
    }

    public static RpcCall swap(MemorySegment data) {
        return new RpcCall(PROGRAM, 1, SWAP, out -> out.bulk(data), 8 + data.byteSize());
    }

    public static RpcCall procedure(int procedure) {
        return new RpcCall(PROGRAM, 1, procedure, _ -> {}, 0);
    }

    /** Returns whether data is that of a FETCH. */
    public static boolean isPattern(MemorySegment data) {
        for (long i = 0; i < data.byteSize(); i++) {
            if (data.get(ValueLayout.JAVA_BYTE, i) != (byte) data.byteSize()) {
                return false;
            }
        }
        return true;
    }
}
