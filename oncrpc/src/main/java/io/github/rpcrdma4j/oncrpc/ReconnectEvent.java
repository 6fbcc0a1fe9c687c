package io.github.rpcrdma4j.oncrpc;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The event of a client that reconnected, or that gave up reconnecting. */
@Name("io.github.rpcrdma4j.Reconnect")
@Label("Reconnect")
@Description(
        "A client lost its connection; the duration reaches to the new one, or to the end of the"
                + " retry time")
@Category("RPC-over-RDMA")
@StackTrace(false)
final class ReconnectEvent extends Event {
    @Label("Reason")
    @Description("Why the connection was lost")
    String reason;

    @Label("Tries")
    int tries;

    @Label("Connected")
    boolean connected;
}
