package io.github.rpcrdma4j.rpcrdma.events;

import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.net.InetSocketAddress;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event for the set-up of a connection. */
@Name("io.github.rpcrdma4j.Connection")
@Label("Connection")
@Description("A connection was set up; its duration is that of the set-up")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class ConnectionEvent extends Event {
    @Label("Side")
    @Description("client or server")
    String side;

    @Label("Peer")
    String peer;

    /** Returns a begun event. */
    static ConnectionEvent begun() {
        var event = new ConnectionEvent();
        event.begin();
        return event;
    }

    /**
     * Records the event if a recording wants it.
     *
     * @param ofSide client or server
     * @param ofPeer the address of the peer
     */
    public void record(String ofSide, InetSocketAddress ofPeer) {
        if (shouldCommit()) {
            side = ofSide;
            peer = HostPort.text(ofPeer);
            commit();
        }
    }
}
