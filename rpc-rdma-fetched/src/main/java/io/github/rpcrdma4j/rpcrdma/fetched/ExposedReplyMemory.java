package io.github.rpcrdma4j.rpcrdma.fetched;

import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.fetched.ExposedReplies.Action;
import io.github.rpcrdma4j.rpcrdma.fetched.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * The memory of the replies of one connection whose data the requester fetches, until it says that
 * it has (RFC 5666-3.4-5). What a requester costs that never says so is bounded in number, bytes
 * and time (RFC 5666-11-4). Guarded by the lock of the connection; times are arguments, in
 * nanoseconds of any origin.
 */
public final class ExposedReplyMemory {
    /** One of them. */
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

        /** Its reply goes out with that header, and nothing behind it. */
        public void announced(TransportHeader header) {
            reply = header;
        }

        /** Its reply has left. */
        public void sent() {
            act(this, ExposureState.Event.SENT);
        }
    }

    private final ExposedReplies waiting;
    private final ConnectionQuota quota;
    private final Counters counters;
    private final Consumer<String> close;
    private final Map<Integer, Exposure> owed = new HashMap<>();
    private final List<Exposure> held = new ArrayList<>();

    /**
     * @param quota of the client, which holds all of it
     * @param close closes the connection, for a reason
     */
    public ExposedReplyMemory(
            ExposedReplies.Bounds bounds,
            ConnectionQuota quota,
            Counters counters,
            Consumer<String> close) {
        this.waiting = new ExposedReplies(bounds);
        this.quota = quota;
        this.counters = counters;
        this.close = close;
    }

    /** Whether one more may be exposed, of whatever size. */
    public boolean hasRoom() {
        return waiting.hasRoom();
    }

    /** Whether that reply may be exposed: there is room, and none of that XID. */
    public boolean takes(int xid) {
        return waiting.hasRoom() && !waiting.waits(xid);
    }

    /** How many have not been fetched. */
    public int owed() {
        return waiting.count();
    }

    /** Bytes that wait to be fetched. */
    public long bytes() {
        return waiting.bytes();
    }

    /**
     * What may be granted, so that a receive stands for every RDMA_DONE too (RFC 5666-3.3-3,
     * 5666-3.8-6, 5666-11-5). It is never nothing (RFC 5666-11-6).
     *
     * @param credits where none is owed
     */
    public int grant(int credits) {
        return Math.max(1, credits - owed());
    }

    /**
     * Keeps what a reply exposes, from the time when it is about to be sent.
     *
     * @param xid of one that is taken
     * @param exposed what the requester may fetch
     * @param release gives the memory back
     */
    public Exposure expose(int xid, ExposedMemory exposed, Runnable release) {
        var exposure = new Exposure(exposed, release);
        waiting.expose(xid, exposed.handles(), exposure.bytes);
        quota.hold(exposure.bytes);
        owed.put(xid, exposure);
        held.add(exposure);
        return exposure;
    }

    /**
     * The requester has fetched what the replies to those calls exposed.
     *
     * @param invalidated the handle that its message has invalidated
     * @return whether there was something of one of those calls
     */
    public boolean done(List<Integer> xids, OptionalInt invalidated) {
        return act(waiting.fetched(xids, invalidated)) > 0;
    }

    /** What is to be sent again, if the reply to that call waits. */
    public Optional<TransportHeader> called(int xid) {
        return waiting.called(xid) ? Optional.of(owed.get(xid).reply) : Optional.empty();
    }

    /**
     * Looks after requesters that say nothing. The time of an exposure counts from the first look
     * at it.
     *
     * @return whether one took too long, which closes the connection
     */
    public boolean expire(long now) {
        var actions = waiting.expire(now);
        if (actions.isEmpty()) {
            return false;
        }
        counters.count(FetchedCounter.UNFETCHED_REPLIES, actions.size());
        act(actions);
        return actions.getFirst() instanceof Action.Close;
    }

    /** The connection is gone. */
    public void lost() {
        waiting.lost();
        owed.clear();
        List.copyOf(held).forEach(each -> act(each, ExposureState.Event.LOST));
    }

    private int act(List<Action> actions) {
        int released = 0;
        for (var action : actions) {
            switch (action) {
                case Action.Release(var xid) -> {
                    act(owed.remove(xid), ExposureState.Event.DONE);
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
                // A peer that reads after that loses the connection (RPR-4.1.3-6).
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
