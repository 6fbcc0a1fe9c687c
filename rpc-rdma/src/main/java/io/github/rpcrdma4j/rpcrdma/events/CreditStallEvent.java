package io.github.rpcrdma4j.rpcrdma.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event for calls of one connection that waited for credits. */
@Name("io.github.rpcrdma4j.CreditStall")
@Label("Credit Stall")
@Description(
        "Calls waited for credits; its duration reaches from the first that waited to the last")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class CreditStallEvent extends Event {
    /** Says whether the event is enabled, at no cost of an object for each call. */
    private static final CreditStallEvent PROBE = new CreditStallEvent();

    @Label("Calls")
    @Description("How many calls waited at the same time, at the most")
    int calls;

    @Label("Requested Credits")
    int requested;

    /** Returns a begun event; null if the event is disabled. */
    static CreditStallEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        var event = new CreditStallEvent();
        event.begin();
        return event;
    }

    /** Notes how many calls wait now. The event records the maximum. */
    public void waiting(int count) {
        calls = Math.max(calls, count);
    }

    /**
     * Ends the event when no call waits any more, and records it if a recording wants it.
     *
     * @param requestedCredits the credits that each message requests
     */
    public void record(int requestedCredits) {
        end();
        if (shouldCommit()) {
            requested = requestedCredits;
            commit();
        }
    }
}
