package io.github.rpcrdma4j.rpcrdma.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Calls of one connection waited for credits. */
@Name("io.github.rpcrdma4j.CreditStall")
@Label("Credit Stall")
@Description(
        "Calls waited for credits; its duration reaches from the first that waited to the last")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class CreditStallEvent extends Event {
    @Label("Calls")
    @Description("How many calls waited at the same time, at the most")
    int calls;

    @Label("Requested Credits")
    int requested;

    /** An event that has begun; null if none is wanted. */
    public static CreditStallEvent begun() {
        var event = new CreditStallEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /** Calls wait. */
    public void waiting(int count) {
        calls = Math.max(calls, count);
    }

    /**
     * Ends and records the event, if that is wanted: no call waits any more.
     *
     * @param asked the credits that each message asks for
     */
    public void record(int asked) {
        end();
        if (shouldCommit()) {
            requested = asked;
            commit();
        }
    }
}
