package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
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
 * A queue pair with its posted receives and a send queue that never overflows. Batches that do not
 * fit yet wait, in order. An arriving message is for a requester or for a responder. A connection
 * with calls both ways (RFC 8166-4-2) has one of each on one endpoint.
 *
 * <p>Not thread-safe: the owner holds one lock around every call, {@link #close} included.
 *
 * <p>Tests: {@code EndpointInAWorldTest}.
 */
public final class Endpoint {
    /** The most work requests that may be posted and not completed. */
    public static final int SEND_QUEUE_SIZE = 2048;

    /**
     * The number of batches in which the messages of one turn are sent, if there are enough
     * messages.
     */
    private static final int BATCHES = 4;

    private static final int BATCH_SIZE_MIN = 2;

    /** The most elements that one Send or RDMA Write gathers. Some adapters accept no more. */
    public static final int GATHER_MAX = 6;

    /** The most work requests of one batch. */
    public static final int BATCH_MAX = SEND_QUEUE_SIZE / 2;

    /** A callback for the end of a batch. It is called once, with the owner's lock held. */
    public interface Ending {
        /**
         * Handles the end of the batch.
         *
         * @param succeeded false if the connection ended before all of its work was done
         */
        void ended(boolean succeeded);

        /**
         * Handles the peer's refusal of one work request, which ends the connection. It is called
         * before {@link #ended}.
         */
        default void refused() {}
    }

    /**
     * A requester or a responder on this connection. Its methods are called with the owner's lock
     * held.
     */
    public interface Role {
        /**
         * Handles an arrived message.
         *
         * @param buffer the memory of its receive; the role owns it now, and posts a receive in its
         *     place
         * @param completion has the length of the message and the handle that it invalidated
         */
        void received(SegmentPool.Lease buffer, Completion completion);

        /** Handles the end of the connection. It is called once; no message arrives afterwards. */
        void lost(String reason);

        /**
         * Returns the reason if this side withdrew the handle before the peer could know, and so
         * caused the end of the connection. It changes no state.
         *
         * @param used the unknown handle that the peer used
         */
        default Optional<ConnectionLoss> withdrew(UnknownHandle used) {
            return Optional.empty();
        }
    }

    /** The event that the oldest unfinished work request waits for. */
    public enum Awaited {
        /** No work is unfinished. */
        NOTHING,
        /** The peer has to send data for an RDMA Read. */
        READ_DATA,
        /** The peer has to accept a Send or an RDMA Write. */
        PEER_ACCEPTANCE
    }

    private final ConnectionMemory memory;
    private final QueuePair queuePair;
    private final MessageSends messageSends;
    private final PostedReceives receives;
    private final ArrayDeque<WorkBatch> posted = new ArrayDeque<>();
    private final ArrayDeque<WorkBatch> waiting = new ArrayDeque<>();
    private final List<WorkRequest> toPost = new ArrayList<>();
    private final Map<MessageRole, Role> roles = new EnumMap<>(MessageRole.class);
    private final Runnable assertOwned;
    private Role first;
    private Role interceptor;

    /** Runs before the first message is handled. */
    private Runnable beforeFirst = () -> {};

    /** Runs after each completion. */
    private Runnable afterEach = () -> {};

    private int slots = SEND_QUEUE_SIZE;

    private boolean gathering;
    private boolean nextWakes;
    private long workDone;
    private long received;
    private ConnectionLoss loss;

    /**
     * @param receiveBytes the size of every posted receive, in bytes
     * @param assertOwned throws if the thread does not hold the owner's lock; it runs before work
     *     is posted or handled
     */
    public Endpoint(ConnectionMemory memory, int receiveBytes, Runnable assertOwned) {
        this.assertOwned = assertOwned;
        this.memory = memory;
        this.queuePair = memory.queuePair();
        this.messageSends = new MessageSends(this);
        this.receives = new PostedReceives(memory, receiveBytes);
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    /** Returns the sender of messages with transport headers. */
    public MessageSends messageSends() {
        return messageSends;
    }

    /** Returns the memory of its work requests. */
    public ConnectionMemory memory() {
        return memory;
    }

    /** Returns whether the connection has ended: it was closed or lost. */
    public boolean isClosed() {
        return loss != null;
    }

    /** Returns the reason for the end of the connection; null while it is open. */
    public ConnectionLoss loss() {
        return loss;
    }

    /**
     * Attaches a role, which then receives its messages. The first attached role also receives
     * messages for an absent role, and messages that show no role.
     *
     * @param kind the kind of the role, requester or responder
     * @throws IllegalStateException if a role of this kind is attached already
     */
    public void attach(MessageRole kind, Role role) {
        if (roles.putIfAbsent(kind, role) != null) {
            throw new IllegalStateException("there is a " + kind + " already");
        }
        if (first == null) {
            first = role;
        }
    }

    /**
     * Passes all later messages to one role, which forwards them to the others.
     *
     * @param role the role; if empty, each role receives its own messages again
     */
    public void interceptor(Optional<Role> role) {
        interceptor = role.orElse(null);
    }

    /**
     * Sets the least length of the receives that are posted from now on.
     *
     * @param bytes the length of each, in bytes
     * @param done runs after the first handled message that leaves no shorter receive; that may be
     *     the message being handled now
     */
    public void growReceives(int bytes, Runnable done) {
        receives.grow(bytes, done);
    }

    /**
     * Posts one more receive, with memory of the pool. It does nothing after the end of the
     * connection.
     */
    public void postReceive() {
        if (!isClosed() && queuePair.state() != QueuePair.State.ERROR) {
            receives.post();
        }
    }

    /**
     * Posts a receive with the memory of a completed one. It frees that memory if it is too short
     * or the connection has ended.
     */
    public void postReceive(SegmentPool.Lease buffer) {
        if (isClosed() || queuePair.state() == QueuePair.State.ERROR) {
            buffer.close();
            return;
        }
        receives.post(buffer);
    }

    /** Returns how many receives are posted. */
    public int postedReceives() {
        return receives.size();
    }

    /** Returns the event that the oldest unfinished work request waits for. */
    public Awaited awaited() {
        var oldest = posted.peekFirst();
        if (oldest == null) {
            return Awaited.NOTHING;
        }
        var next = oldest.unfinished().getLast();
        return next instanceof WorkRequest.Read ? Awaited.READ_DATA : Awaited.PEER_ACCEPTANCE;
    }

    /** Returns how many work requests were done so far, without receives. */
    public long workDone() {
        return workDone;
    }

    /** Returns how many messages have arrived so far. */
    public long received() {
        return received;
    }

    /** Returns how many work requests are posted and not done, without receives. */
    public int workLeft() {
        return SEND_QUEUE_SIZE - slots;
    }

    /**
     * Returns how many bytes the posted and unfinished work requests move. It visits each of them.
     */
    public long bytesLeft() {
        long bytes = 0;
        for (var batch : posted) {
            for (var request : batch.unfinished()) {
                bytes += request.bytes();
            }
        }
        return bytes;
    }

    /**
     * Sets an action that runs once, before the first message is handled. It may close the
     * endpoint.
     */
    public void beforeFirst(Runnable work) {
        beforeFirst = work;
    }

    /**
     * Sets an action that runs after each completion. Work that it posts is sent with the work that
     * the completion caused.
     */
    public void afterEach(Runnable work) {
        afterEach = work;
    }

    /** Holds back later posts until {@link #flush}, so that they are sent together. */
    public void gather() {
        assertOwned.run();
        gathering = true;
    }

    /** Posts all gathered work requests. Later posts are sent at once. */
    public void flush() {
        assertOwned.run();
        gathering = false;
        postWaiting();
        closeIfGone();
    }

    /**
     * Closes a queue pair that failed while nothing was posted. No completion reports such a
     * failure.
     */
    private void closeIfGone() {
        if (!isClosed()
                && receives.isEmpty()
                && posted.isEmpty()
                && queuePair.state() == QueuePair.State.ERROR) {
            close(ConnectionLoss.of(queuePair, roles.values()));
        }
    }

    /**
     * Posts work requests as one batch, now or when the send queue has room.
     *
     * @param ending called when the last of them has completed
     * @throws IllegalArgumentException if there are more than {@link #BATCH_MAX}
     */
    public void post(List<WorkRequest> requests, Ending ending) {
        post(new WorkBatch(ending).requests(requests));
    }

    /** Posts a batch like {@link #post(List, Ending)}. */
    public void post(WorkBatch batch) {
        assertOwned.run();
        if (isClosed()) {
            batch.ending().ended(false);
            return;
        }
        batch.wakes(nextWakes);
        nextWakes = false;
        waiting.addLast(batch);
        postWaiting();
    }

    /**
     * Makes the completion of the next posted batch wake a thread, because other work waits for it.
     */
    public void wakeAfterNext() {
        nextWakes = true;
    }

    /** Makes one post of all batches that fit, so that a provider can send them together. */
    private void postWaiting() {
        if (gathering || waiting.isEmpty()) {
            return;
        }
        while (!waiting.isEmpty() && waiting.getFirst().size() <= slots) {
            var batch = waiting.removeFirst();
            slots -= batch.size();
            posted.addLast(batch);
            // When the queue is half full, completions wake a thread to post the waiting batches.
            batch.addTo(toPost, slots < BATCH_MAX);
        }
        if (!toPost.isEmpty()) {
            queuePair.post(toPost);
            toPost.clear();
        }
    }

    /**
     * Handles completions of the queue pair. Work that is posted because of them is sent together,
     * in a few batches.
     *
     * @param completions a list with completions of this queue pair
     * @param from the index of the first of them
     * @param to the index after the last of them
     */
    public void completed(List<Completion> completions, int from, int to) {
        int received = 0;
        for (int i = from; i < to; i++) {
            received += completions.get(i).operation() == Completion.Operation.RECEIVE ? 1 : 0;
        }
        int batchSize = batchSize(received);
        gather();
        for (int i = from; i < to; i++) {
            completed(completions.get(i));
            if (waiting.size() >= batchSize) {
                flush();
                gather();
            }
        }
        flush();
    }

    /**
     * Returns how many messages of one turn are sent together. If all were sent together, the peer
     * would be idle during our turn, and we would be idle during its turn.
     *
     * @param messages the number of messages of the turn
     */
    public static int batchSize(int messages) {
        return Math.max(BATCH_SIZE_MIN, messages / BATCHES);
    }

    /** Handles a completion of the queue pair. */
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
            // A queue pair never recovers from a failure.
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
            var buffer = receives.complete();
            role(buffer, completion).received(buffer, completion);
            receives.handled();
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
        if (interceptor != null) {
            return interceptor;
        }
        if (roles.size() == 1) {
            return first;
        }
        var message = buffer.segment().asSlice(0, completion.length());
        return roles.getOrDefault(MessageRole.of(message), first);
    }

    /**
     * Closes the queue pair, ends every batch and every receive, and notifies the roles. It never
     * waits, so work that the peer does not accept at once is lost. Closing twice is harmless; the
     * first reason stays.
     */
    public void close(String reason) {
        close(reason, Duration.ZERO);
    }

    /**
     * Closes like {@link #close(String)}, for a thread that may wait.
     *
     * @param grace how long the peer has to accept posted work
     */
    public void close(String reason, Duration grace) {
        close(new ConnectionLoss.Ended(reason), grace);
    }

    /** Closes for a reason that a caller can tell from others, and never waits. */
    public void close(ConnectionLoss reason) {
        close(reason, Duration.ZERO);
    }

    private void close(ConnectionLoss reason, Duration grace) {
        assertOwned.run();
        if (isClosed()) {
            return;
        }
        loss = reason;
        queuePair.close(grace);
        receives.close();
        messageSends.lost();
        end(posted);
        end(waiting);
        if (interceptor != null) {
            interceptor.lost(reason.words());
        }
        List.copyOf(roles.values()).forEach(role -> role.lost(reason.words()));
    }

    private static void end(ArrayDeque<WorkBatch> batches) {
        while (!batches.isEmpty()) {
            batches.removeFirst().ending().ended(false);
        }
    }
}
