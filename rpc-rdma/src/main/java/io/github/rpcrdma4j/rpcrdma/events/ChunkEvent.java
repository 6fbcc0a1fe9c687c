package io.github.rpcrdma4j.rpcrdma.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A chunk was offered or filled. */
@Name("io.github.rpcrdma4j.Chunk")
@Label("Chunk")
@Description("A chunk was offered or filled")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class ChunkEvent extends Event {
    @Label("Kind")
    @Description("Which chunk, and what became of it")
    String kind;

    @Label("XID")
    int xid;

    @Label("Length")
    @DataAmount
    long length;

    /**
     * Records the event, if that is wanted.
     *
     * @param kind which chunk, and what became of it
     * @param xid of the call that it belongs to
     * @param length in bytes
     */
    public static void record(String kind, int xid, long length) {
        var event = new ChunkEvent();
        if (event.shouldCommit()) {
            event.kind = kind;
            event.xid = xid;
            event.length = length;
            event.commit();
        }
    }
}
