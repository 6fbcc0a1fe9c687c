package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.MemorySegment;

/** Calls whose replies are written and not sent. */
public final class AnsweredCalls {
    private AnsweredCalls() {}

    /** Returns a call without chunks, with a reply of one word. */
    public static ServedCall of(int xid, SegmentPool pool) {
        var call = new ServedCall(pool, _ -> {});
        call.begin(xid, ChunkLists.EMPTY, MemorySegment.NULL, pool.lease(1));
        call.beginReply().uint32(xid);
        return call;
    }

    /** Gives back all memory of a call. */
    public static void release(ServedCall call) {
        call.release();
        call.dispose();
    }
}
