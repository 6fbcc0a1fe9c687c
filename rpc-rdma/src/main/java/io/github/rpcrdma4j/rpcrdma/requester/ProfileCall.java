package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A call that travels as only its profile has it. */
public abstract non-sealed class ProfileCall extends OfferingCall {
    /**
     * @param resultTargets native memory for the Write chunks
     * @param standIns memory that holds copies of what the caller passed on the heap
     */
    protected ProfileCall(
            int xid,
            CallShape shape,
            List<MemorySegment> resultTargets,
            List<SegmentPool.Lease> standIns,
            ExposedMemory exposed) {
        super(xid, shape, resultTargets, standIns, exposed);
    }

    /**
     * Sends it; its credits are taken, and its receives are posted.
     *
     * @param credits what it asks for
     */
    protected abstract void send(int credits);

    /** How many credits it holds, from its sending to its answer; 1 or more. */
    @Override
    protected abstract int credits();
}
