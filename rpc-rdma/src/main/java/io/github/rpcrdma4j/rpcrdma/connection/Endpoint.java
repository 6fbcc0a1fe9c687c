package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.Received.Recipient;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A queue pair with its posted receives and a send queue that never overflows: batches that do not
 * fit yet wait their turn, in order. What arrives is for a requester or for a responder; a
 * connection with calls both ways (RFC 8166-4-2) has one of each on the same endpoint.
 *
 * <p>Not thread-safe: the owner holds one lock around every call, {@link #close} included.
 */
public final class Endpoint {
    /** Work requests that may be posted and not completed. */
    public static final int SEND_QUEUE_SIZE = 2048;

    /** A turn's messages leave in so many parts, if there are enough of them. */
    private static final int PARTS = 4;

    private static final int PART_MIN = 2;

    /** The most pieces that one Send or RDMA Write gathers: some adapters take no more. */
    public static final int GATHER_MAX = 6;

    /** The most work requests of one batch. */
    public static final int BATCH_MAX = SEND_QUEUE_SIZE / 2;

    /** What is told when a batch has ended; called once, with the owner's lock held. */
    public interface Ending {
        /**
         * @param succeeded false if the connection was lost before all of it was done
         */
        void ended(boolean succeeded);

        /** The peer refused a part of it, and so ends the connection. Comes before the end. */
        default void refused() {}
    }

    /** A requester or a responder on this connection; called with the owner's lock held. */
    public interface Role {
        /**
         * Takes a message.
         *
         * @param buffer what it came in; the role owns it now, and posts a receive in its place
         * @param completion says how long the message is, and what it invalidated
         */
        void received(SegmentPool.Lease buffer, Completion completion);

        /** The connection is gone; called once, when nothing arrives any more. */
        void lost(String reason);

        /**
         * Whether this side withdrew a handle before the peer could know, and so has ended the
         * connection by itself. Changes nothing.
         *
         * @param used with what the peer reached for memory in vain
         */
        default Optional<ConnectionLoss> withdrew(UnknownHandle used) {
            return Optional.empty();
        }
    }

    /** What the oldest work waits for that was posted and is not done. */
    public enum Awaited {
        /** There is none. */
        NOTHING,
        /** Data of the peer, for an RDMA Read. */
        DATA,
        /** The peer taking what is sent to it. */
        TAKING
    }

    private final ConnectionMemory memory;
    private final QueuePair queuePair;
    private final SegmentPool pool;
    private final MessageSends framed;
    private final ArrayDeque<SegmentPool.Lease> receives = new ArrayDeque<>();
    private final ArrayDeque<WorkBatch> posted = new ArrayDeque<>();
    private final ArrayDeque<WorkBatch> waiting = new ArrayDeque<>();
    private final List<WorkRequest> leaving = new ArrayList<>();
    private final Map<Recipient, Role> roles = new EnumMap<>(Recipient.class);
    private final Runnable owned;
    private Role first;
    private Role front;

    /** Run before the first message is looked at. */
    private Runnable beforeFirst = () -> {};

    /** Run after each completion. */
    private Runnable afterEach = () -> {};

    private int receiveBytes;

    /** Receives that stand posted and are shorter than new ones, and who waits for their end. */
    private int shorter;

    /** Receives grow, and no longer than that is {@link #drained} to be told. */
    private boolean drains;

    private Runnable drained;
    private int slots = SEND_QUEUE_SIZE;

    private boolean gathering;
    private boolean nextWakes;
    private long workDone;
    private long received;
    private ConnectionLoss loss;

    /**
     * @param receiveBytes the size of every posted receive, in bytes
     * @param owned throws if the thread does not hold the owner's lock; run before work is posted
     *     or handled
     */
    public Endpoint(ConnectionMemory memory, int receiveBytes, Runnable owned) {
        this.owned = owned;
        this.memory = memory;
        this.queuePair = memory.queuePair();
        this.pool = memory.pool();
        this.framed = new MessageSends(this);
        this.receiveBytes = receiveBytes;
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    /** Posts messages behind their headers. */
    public MessageSends framed() {
        return framed;
    }

    /** The memory that its work names. */
    public ConnectionMemory memory() {
        return memory;
    }

    /** Whether the connection is gone. */
    public boolean isClosed() {
        return loss != null;
    }

    /** Why the connection is gone; null while it lives. */
    public ConnectionLoss loss() {
        return loss;
    }

    /**
     * Has a role take what is for it. What is for a role that is not here, and what does not say
     * for whom it is, goes to the one that came first.
     *
     * @param recipient which role it is, requester or responder
     * @throws IllegalStateException if there is one already
     */
    public void attach(Recipient recipient, Role role) {
        if (roles.putIfAbsent(recipient, role) != null) {
            throw new IllegalStateException("there is a " + recipient + " already");
        }
        if (first == null) {
            first = role;
        }
    }

    /**
     * From now on whatever arrives is for that role, which hands it on to the others.
     *
     * @param role empty: each takes its own again
     */
    public void front(Optional<Role> role) {
        front = role.orElse(null);
    }

    /**
     * Receives that are posted from now on are at least as long as that.
     *
     * @param bytes the length of each, in bytes
     * @param told when no shorter one is left: not before the message that is handled now, if one
     *     is
     */
    public void growReceives(int bytes, Runnable told) {
        receiveBytes = Math.max(receiveBytes, bytes);
        drained = told;
        drains = true;
        shorter = 0;
        int place = 0;
        for (var receive : receives) {
            place++;
            if (receive.length() < bytes) {
                shorter = place;
            }
        }
    }

    /** Posts one more receive, with memory of the pool. */
    public void postReceive() {
        if (!isClosed() && queuePair.state() != QueuePair.State.ERROR) {
            postReceive(pool.lease(receiveBytes));
        }
    }

    /** Posts a receive with the memory of one that was received into, or gives that back. */
    public void postReceive(SegmentPool.Lease buffer) {
        if (isClosed() || queuePair.state() == QueuePair.State.ERROR) {
            buffer.close();
            return;
        }
        if (buffer.length() < receiveBytes) {
            buffer.close();
            postReceive(pool.lease(receiveBytes));
            return;
        }
        receives.addLast(buffer);
        try {
            memory.postReceive(buffer);
        } catch (IllegalStateException lost) {
            // The queue pair failed in between; its completions will say so.
            if (queuePair.state() != QueuePair.State.ERROR) {
                throw lost;
            }
            receives.removeLast();
            buffer.close();
        }
    }

    /** How many receives stand posted. */
    public int postedReceives() {
        return receives.size();
    }

    /** What stands between the peer and an empty send queue. */
    public Awaited awaited() {
        var oldest = posted.peekFirst();
        if (oldest == null) {
            return Awaited.NOTHING;
        }
        var next = oldest.left().getLast();
        return next instanceof WorkRequest.Read ? Awaited.DATA : Awaited.TAKING;
    }

    /** How many work requests were done so far, receives aside. */
    public long workDone() {
        return workDone;
    }

    /** How many messages have come so far. */
    public long received() {
        return received;
    }

    /** How many work requests are posted and not done, receives aside. */
    public int workLeft() {
        return SEND_QUEUE_SIZE - slots;
    }

    /** How many bytes those move; looks at each of them. */
    public long bytesLeft() {
        long bytes = 0;
        for (var batch : posted) {
            for (var request : batch.left()) {
                bytes += request.bytes();
            }
        }
        return bytes;
    }

    /** Has something done before the first message is looked at; it may close the endpoint. */
    public void beforeFirst(Runnable work) {
        beforeFirst = work;
    }

    /** Has something done after each completion; what it posts leaves with what that posted. */
    public void afterEach(Runnable work) {
        afterEach = work;
    }

    /** What is posted from now on waits for {@link #flush}, so that it leaves together. */
    public void gather() {
        owned.run();
        gathering = true;
    }

    /** Posts all gathered work requests; later posts leave at once again. */
    public void flush() {
        owned.run();
        gathering = false;
        postWaiting();
        closeIfGone();
    }

    /** A queue pair that fails while nothing is posted has no completion that says so. */
    private void closeIfGone() {
        if (!isClosed()
                && receives.isEmpty()
                && posted.isEmpty()
                && queuePair.state() == QueuePair.State.ERROR) {
            close(ConnectionLoss.of(queuePair, roles.values()));
        }
    }

    /**
     * Posts work requests that belong together, now or when there is room.
     *
     * @param ending told when the last of them has completed
     * @throws IllegalArgumentException if there are more than {@link #BATCH_MAX}
     */
    public void post(List<WorkRequest> requests, Ending ending) {
        post(new WorkBatch(ending).of(requests));
    }

    /** Posts a batch; else like {@link #post(List, Ending)}. */
    public void post(WorkBatch batch) {
        owned.run();
        if (isClosed()) {
            batch.ending().ended(false);
            return;
        }
        batch.wakes(nextWakes);
        nextWakes = false;
        waiting.addLast(batch);
        postWaiting();
    }

    /** The end of what is posted next wakes a thread: something waits for it. */
    public void wakeAfterNext() {
        nextWakes = true;
    }

    /** One post for all that fits, so that a provider can put it on the wire together. */
    private void postWaiting() {
        if (gathering || waiting.isEmpty()) {
            return;
        }
        while (!waiting.isEmpty() && waiting.getFirst().size() <= slots) {
            var batch = waiting.removeFirst();
            slots -= batch.size();
            posted.addLast(batch);
            // A batch that waits for room is posted when these are done.
            batch.addTo(leaving, slots < BATCH_MAX);
        }
        if (!leaving.isEmpty()) {
            queuePair.post(leaving);
            leaving.clear();
        }
    }

    /**
     * Takes completions of the queue pair; what is posted because of them leaves together, in a few
     * parts.
     *
     * @param completions of this queue pair from one index to another
     */
    public void completed(List<Completion> completions, int from, int to) {
        int received = 0;
        for (int i = from; i < to; i++) {
            received += completions.get(i).operation() == Completion.Operation.RECEIVE ? 1 : 0;
        }
        int part = part(received);
        gather();
        for (int i = from; i < to; i++) {
            completed(completions.get(i));
            if (waiting.size() >= part) {
                flush();
                gather();
            }
        }
        flush();
    }

    /**
     * How many of the messages of a turn leave together. If all of them did, the peer would have
     * nothing to do until the turn ends, and then we until his has.
     *
     * @param due messages of the turn
     */
    public static int part(int due) {
        return Math.max(PART_MIN, due / PARTS);
    }

    /** Takes a completion of the queue pair. */
    public void completed(Completion completion) {
        if (!isClosed()) {
            handle(completion);
            afterEach.run();
        }
    }

    private void handle(Completion completion) {
        if (!completion.succeeded()) {
            if (isRefusal(completion) && !posted.isEmpty()) {
                posted.getFirst().ending().refused();
            }
            // A queue pair never lives on after a failure.
            close(ConnectionLoss.of(queuePair, roles.values()));
            return;
        }
        if (completion.operation() == Completion.Operation.RECEIVE) {
            received++;
            var before = beforeFirst;
            beforeFirst = () -> {};
            before.run();
            if (isClosed()) {
                return;
            }
            var buffer = receives.removeFirst();
            shorter = Math.max(0, shorter - 1);
            role(buffer, completion).received(buffer, completion);
            if (drains && shorter == 0) {
                drains = false;
                drained.run();
            }
            return;
        }
        var batch = posted.getFirst();
        int count = batch.advance();
        slots += count;
        workDone += count;
        if (batch.isDone()) {
            posted.removeFirst();
            batch.ending().ended(true);
        }
        postWaiting();
    }

    private static boolean isRefusal(Completion completion) {
        return switch (completion.status()) {
            case REMOTE_ACCESS_ERROR, REMOTE_OPERATION_ERROR -> true;
            case SUCCESS, LOCAL_LENGTH_ERROR, LOCAL_ACCESS_ERROR, FLUSHED -> false;
        };
    }

    private Role role(SegmentPool.Lease buffer, Completion completion) {
        if (front != null) {
            return front;
        }
        if (roles.size() == 1) {
            return first;
        }
        var message = buffer.segment().asSlice(0, completion.length());
        return roles.getOrDefault(Recipient.of(message), first);
    }

    /**
     * Closes the queue pair, ends every batch and every receive, and tells the roles. Never waits:
     * what the peer does not take at once is lost. Closing twice is harmless; the first reason
     * stands.
     */
    public void close(String reason) {
        close(reason, Duration.ZERO);
    }

    /**
     * Closes for a thread that may wait.
     *
     * @param grace how long the peer has to take what was posted
     */
    public void close(String reason, Duration grace) {
        close(new ConnectionLoss.Ended(reason), grace);
    }

    /** Closes for a reason that a caller may want to tell from others. */
    public void close(ConnectionLoss reason) {
        close(reason, Duration.ZERO);
    }

    private void close(ConnectionLoss reason, Duration grace) {
        owned.run();
        if (isClosed()) {
            return;
        }
        loss = reason;
        queuePair.close(grace);
        receives.forEach(SegmentPool.Lease::close);
        receives.clear();
        framed.lost();
        end(posted);
        end(waiting);
        if (front != null) {
            front.lost(reason.words());
        }
        List.copyOf(roles.values()).forEach(role -> role.lost(reason.words()));
    }

    private static void end(ArrayDeque<WorkBatch> batches) {
        while (!batches.isEmpty()) {
            batches.removeFirst().ending().ended(false);
        }
    }
}
