package io.github.rpcrdma4j.rpcrdma.events;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Unsigned;

/** The JFR event for a call of a client, from the request of its caller to its end. */
@Name("io.github.rpcrdma4j.Call")
@Label("Call")
@Description(
        "A client made a call; its duration reaches from the request of the caller to the end of"
                + " the call")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class CallEvent extends Event {
    /** Says whether the event is enabled, at no cost of an object for each call. */
    private static final CallEvent PROBE = new CallEvent();

    @Label("Peer")
    String peer;

    @Label("XID")
    int xid;

    @Label("Program")
    @Unsigned
    int program;

    @Label("Version")
    @Unsigned
    int version;

    @Label("Procedure")
    @Unsigned
    int procedure;

    @Label("Outcome")
    @Description("replied, or why there is no reply")
    String outcome;

    /** Returns a begun event; null if the event is disabled. */
    static CallEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        var event = new CallEvent();
        event.begin();
        return event;
    }

    /**
     * Ends the event, and records it if a recording wants it.
     *
     * @param call the call that was made
     * @param ofXid its XID
     * @param ofPeer the address of the server
     * @param ofOutcome replied, or why there is no reply
     */
    public void record(RpcCall call, int ofXid, String ofPeer, String ofOutcome) {
        end();
        if (shouldCommit()) {
            peer = ofPeer;
            xid = ofXid;
            program = call.program();
            version = call.version();
            procedure = call.procedure();
            outcome = ofOutcome;
            commit();
        }
    }
}
