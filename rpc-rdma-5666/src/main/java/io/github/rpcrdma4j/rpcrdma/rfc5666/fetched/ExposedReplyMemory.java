package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplies.Action;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * The memory of one connection's exposed replies, held until the requester says that it has fetched
 * them (RFC 5666-3.4-5). A requester that never says so holds a bounded number of replies and
 * bytes, for a bounded time (RFC 5666-11-4). Guarded by the lock of the connection. Times are
 * arguments, in nanoseconds of any origin.
 */
public final class ExposedReplyMemory {
    /** One exposed reply. */
    public final class Exposure {
        private final ExposedMemory exposed;
        private final long bytes;
        private final Runnable release;
        private ExposureState state = ExposureState.ANNOUNCING;
        private TransportHeader reply;

        private Exposure(ExposedMemory exposed, Runnable release) {
            this.exposed = exposed;
            this.bytes = exposed.bytes();
            this.release = release;
        }

        /** Keeps the header of the reply, for {@link ExposedReplyMemory#called}. */
        public void announced(TransportHeader header) {
            reply = header;
        }

        /** Records that the Send of the reply has completed. */
        public void sent() {
            act(this, ExposureState.Event.SENT);
        }
    }

    private final ExposedReplies replies;
    private final ConnectionQuota quota;
    private final Counters counters;
    private final Consumer<String> close;
    private final Map<Integer, Exposure> exposures = new HashMap<>();
    private final List<Exposure> held = new ArrayList<>();

    /**
     * @param quota the client's quota, charged with all exposed bytes
     * @param close closes the connection, for the given reason
     */
    public ExposedReplyMemory(
            ExposedReplies.Bounds bounds,
            ConnectionQuota quota,
            Counters counters,
            Consumer<String> close) {
        this.replies = new ExposedReplies(bounds);
        this.quota = quota;
        this.counters = counters;
        this.close = close;
    }

    /** Returns whether one more reply of any size may be exposed. */
    public boolean hasRoom() {
        return replies.hasRoom();
    }

    /**
     * Returns whether that reply may be exposed: there is room, and no reply with its XID waits.
     */
    public boolean mayExpose(int xid) {
        return replies.hasRoom() && !replies.waits(xid);
    }

    /** Returns the number of replies that have not been fetched. */
    public int waiting() {
        return replies.count();
    }

    /** Returns the number of bytes that wait to be fetched. */
    public long bytes() {
        return replies.bytes();
    }

    /**
     * Returns the credits to grant, so that a receive is posted for every RDMA_DONE too (RFC
     * 5666-3.3-3, 5666-3.8-6, 5666-11-5). The result is at least 1 (RFC 5666-11-6).
     *
     * @param credits the credits to grant when no reply waits
     */
    public int grant(int credits) {
        return Math.max(1, credits - waiting());
    }

    /**
     * Takes over the exposed memory of a reply that is about to be sent.
     *
     * @param xid the XID of a reply that {@link #mayExpose} allows
     * @param exposed the memory that the requester may fetch
     * @param release gives the memory back; runs once
     */
    public Exposure expose(int xid, ExposedMemory exposed, Runnable release) {
        var exposure = new Exposure(exposed, release);
        replies.expose(xid, exposed.handles(), exposure.bytes);
        quota.hold(exposure.bytes);
        exposures.put(xid, exposure);
        held.add(exposure);
        return exposure;
    }

    /**
     * Records that the requester has fetched the replies to those calls.
     *
     * @param invalidated the handle that its message has invalidated
     * @return whether a reply to one of those calls waited
     */
    public boolean done(List<Integer> xids, OptionalInt invalidated) {
        return act(replies.fetched(xids, invalidated)) > 0;
    }

    /** Returns the header to send again when a call is repeated whose reply waits. */
    public Optional<TransportHeader> called(int xid) {
        return replies.called(xid) ? Optional.of(exposures.get(xid).reply) : Optional.empty();
    }

    /**
     * Handles replies whose requester does not say that it has fetched them. The time of an
     * exposure counts from the first call of this method that sees it.
     *
     * @param timeoutDivisor the divisor of the time, above 1 if others wait for memory
     * @return whether a reply waited too long and the connection is therefore closed
     */
    public boolean expire(long now, int timeoutDivisor) {
        var actions = replies.expire(now, timeoutDivisor);
        if (actions.isEmpty()) {
            return false;
        }
        counters.count(FetchedCounter.UNFETCHED_REPLIES, actions.size());
        act(actions);
        return actions.getFirst() instanceof Action.Close;
    }

    /** Releases everything after the connection is lost. */
    public void lost() {
        replies.lost();
        exposures.clear();
        List.copyOf(held).forEach(each -> act(each, ExposureState.Event.LOST));
    }

    private int act(List<Action> actions) {
        int released = 0;
        for (var action : actions) {
            switch (action) {
                case Action.Release(var xid) -> {
                    act(exposures.remove(xid), ExposureState.Event.DONE);
                    released++;
                }
                case Action.Close(var why) -> close.accept(why);
            }
        }
        return released;
    }

    private void act(Exposure exposure, ExposureState.Event event) {
        var step = exposure.state.on(event);
        exposure.state = step.next();
        for (var action : step.actions()) {
            switch (action) {
                // A later read of the peer ends the connection (RPR-4.1.3-6).
                case FENCE -> exposure.exposed.fence();
                case RELEASE -> {
                    held.remove(exposure);
                    exposure.release.run();
                    quota.give(exposure.bytes);
                }
            }
        }
    }
}
