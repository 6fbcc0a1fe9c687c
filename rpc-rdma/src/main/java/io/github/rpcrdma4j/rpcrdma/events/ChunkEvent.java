package io.github.rpcrdma4j.rpcrdma.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event for a chunk that was offered, fetched or filled. */
@Name("io.github.rpcrdma4j.Chunk")
@Label("Chunk")
@Description("A chunk was offered, fetched or filled")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class ChunkEvent extends Event {
    /** Says whether the event is enabled, at no cost of an object for each chunk. */
    private static final ChunkEvent PROBE = new ChunkEvent();

    @Label("Side")
    @Description("client or server")
    String side;

    @Label("Peer")
    String peer;

    @Label("Kind")
    @Description("The kind of chunk, by the name of its counter")
    String kind;

    @Label("XID")
    int xid;

    @Label("Length")
    @DataAmount
    long length;

    /**
     * Records the event if a recording wants it.
     *
     * @param side client or server
     * @param peer the address of the peer; empty if it is unknown
     * @param kind the kind of chunk, by the name of its counter
     * @param xid the XID of the call with the chunk
     * @param length the length of the chunk in bytes
     */
    static void record(String side, String peer, String kind, int xid, long length) {
        if (!PROBE.isEnabled()) {
            return;
        }
        var event = new ChunkEvent();
        if (event.shouldCommit()) {
            event.side = side;
            event.peer = peer;
            event.kind = kind;
            event.xid = xid;
            event.length = length;
            event.commit();
        }
    }
}
