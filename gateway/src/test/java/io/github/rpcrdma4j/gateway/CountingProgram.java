package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A program with the number of NFS and no memory of its calls. Each procedure takes any arguments
 * and returns how many calls there were.
 */
final class CountingProgram implements RpcProgram {
    static final int PROGRAM = 100003;

    final AtomicInteger calls = new AtomicInteger();

    /** The calls that may end. */
    final Semaphore mayEnd = new Semaphore(Integer.MAX_VALUE / 2);

    /** Opens when the first call has begun. */
    final CountDownLatch begun = new CountDownLatch(1);

    @Override
    public ProgramId id() {
        return new ProgramId(PROGRAM, 2, 4);
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return ProcedureDescriptor.ORDINARY.withRepeatable(true);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws InterruptedException {
        int count = calls.incrementAndGet();
        begun.countDown();
        mayEnd.acquire();
        results.uint32(count);
        return AcceptStatus.SUCCESS;
    }

    static RpcCall call(int version, int procedure, int xid, Consumer<XdrWriter> arguments) {
        return new RpcCall(PROGRAM, version, procedure, arguments, 100).withXid(xid);
    }
}
