package io.github.rpcrdma4j.rpcrdma.events;

import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.net.InetSocketAddress;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event for the end of a connection. */
@Name("io.github.rpcrdma4j.ConnectionEnd")
@Label("Connection End")
@Description("A connection has ended")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class ConnectionEndEvent extends Event {
    @Label("Side")
    @Description("client or server")
    String side;

    @Label("Peer")
    String peer;

    @Label("Reason")
    String reason;

    /**
     * Records the event if a recording wants it.
     *
     * @param side client or server
     * @param peer the address of the peer
     * @param reason the reason for its end, in words for a user
     */
    static void record(String side, InetSocketAddress peer, String reason) {
        var event = new ConnectionEndEvent();
        if (event.shouldCommit()) {
            event.side = side;
            event.peer = HostPort.text(peer);
            event.reason = reason;
            event.commit();
        }
    }
}
