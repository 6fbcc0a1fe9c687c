package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.StartUp;
import io.github.rpcrdma4j.iwarp.rdmap.Outbound;
import io.github.rpcrdma4j.iwarp.rdmap.Outcome;
import io.github.rpcrdma4j.iwarp.rdmap.SendElement;
import io.github.rpcrdma4j.iwarp.rdmap.SourceInvalidatedException;
import io.github.rpcrdma4j.iwarp.rdmap.StreamState;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.UnknownHandle.Use;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sending half of a queue pair, with the lock that guards it. If a sending thread finds the
 * connection broken, it leaves the end to the polling thread.
 *
 * <p>Tests: {@code QueuePairByHandTest}, {@code TerminateDeliveryTest}.
 */
final class SendHalf {
    private final IwarpQueuePair queuePair;
    private final IwarpCompletionQueue completionQueue;
    private final SoftwareWindows windows;
    private final int queueSize;
    private final ReentrantLock lock = new ReentrantLock();

    /** Null before the connection is established. Guarded by the lock, as are the next fields. */
    private Outbound outbound;

    private SelectionKey key;
    private StartUp startUp;
    private final FirstFrameTimer firstFrameTimer = new FirstFrameTimer();

    /** The last send completion, reused for an equal one to save garbage. */
    private Completion lastCompletion;

    /** The handle of a region that was invalidated while the peer read from it. */
    private volatile Optional<UnknownHandle> unknownHandle = Optional.empty();

    /** Whether both sides send; used by the polling thread alone. */
    private boolean flows;

    SendHalf(
            IwarpQueuePair queuePair,
            IwarpCompletionQueue completionQueue,
            SoftwareWindows windows,
            int queueSize) {
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
        this.windows = windows;
        this.queueSize = queueSize;
    }

    /** Takes the send lock, for a change of the queue pair's state. */
    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Starts an established connection; the caller holds the lock. */
    void start(Outbound half, SelectionKey itsKey, boolean isInitiator) {
        outbound = half;
        key = itsKey;
        startUp = StartUp.of(isInitiator);
    }

    Optional<UnknownHandle> unknownHandle() {
        return unknownHandle;
    }

    /**
     * Queues work and writes as much as the socket accepts.
     *
     * @throws IllegalStateException if the send queue is full, or the queue pair was never
     *     connected
     */
    void post(List<WorkRequest> requests) {
        lock.lock();
        try {
            if (queuePair.stream() == StreamState.UNCONNECTED) {
                throw new IllegalStateException("the queue pair is not connected");
            }
            if (queuePair.stream() == StreamState.CLOSED) {
                requests.forEach(each -> completed(SendElement.of(each), Status.FLUSHED));
                return;
            }
            if (outbound.uncompleted() + requests.size() > queueSize) {
                throw new IllegalStateException("the send queue is full: " + queueSize);
            }
            for (var request : requests) {
                outbound.post(request);
            }
            act(StartUp.Event.POSTED);
            if (outbound.isStuck()) {
                breakOff("an RDMA Read was posted, but no RDMA Reads were agreed on");
            }
            write();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes as much as the socket accepts.
     *
     * @return whether nothing is left that could be written
     */
    boolean flush() {
        lock.lock();
        try {
            return write();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes as much as the socket accepts, and returns how many bytes it has accepted so far. A
     * selector tells of a socket only when a third of its buffer is free, which takes a slow peer
     * many seconds.
     */
    long bytesWritten() {
        lock.lock();
        try {
            if (outbound == null) {
                return 0;
            }
            write();
            return outbound.bytesWritten();
        } finally {
            lock.unlock();
        }
    }

    /** Reports ended work to the completion queue; the caller holds the lock. */
    void completed(SendElement element, Status status) {
        var signal = status == Status.SUCCESS ? element.signal() : Signal.SIGNALED;
        if (signal == Signal.UNSIGNALED) {
            return;
        }
        if (lastCompletion == null || !element.hasEqualCompletion(lastCompletion, status)) {
            lastCompletion = element.completion(queuePair, status);
        }
        if (signal == Signal.QUIET) {
            completionQueue.addQuiet(lastCompletion);
        } else {
            completionQueue.add(lastCompletion);
        }
    }

    private boolean write() {
        if (!queuePair.stream().maySend()) {
            return true;
        }
        try {
            boolean empty = outbound.flush();
            completionQueue.watch(key, !empty);
            return empty;
        } catch (SourceInvalidatedException gone) {
            unknownHandle = Optional.of(new UnknownHandle(Use.READ, gone.handle()));
            breakOff("the connection was lost: " + gone.getMessage());
            return true;
        } catch (IOException | IllegalStateException | InternalError gone) {
            // IllegalStateException: memory of posted work was closed. InternalError: a mapped file
            // was truncated.
            breakOff("the connection was lost: " + gone.getMessage());
            return true;
        }
    }

    private void breakOff(String why) {
        queuePair.act(StreamState.Event.SEND_FAILED, why);
    }

    /** Sends a Terminate about the peer's fault; the caller holds the lock. */
    void terminate(Outcome.Broken broken) {
        outbound.terminate(Terminate.of(broken.fault()), broken.offender());
    }

    /** Ends all posted work as flushed; the caller holds the lock. */
    void flushAll() {
        if (outbound != null) {
            outbound.flushAll();
        }
    }

    /**
     * Sends an empty RDMA Write when a passive peer may have missed the first frame. Returns
     * whether to call again later.
     */
    boolean checkStartUp(long now) {
        lock.lock();
        try {
            if (startUp != StartUp.SENDING
                    || !queuePair.stream().maySend()
                    || firstFrameTimer.isOver()) {
                return false;
            }
            if (firstFrameTimer.expires(now)) {
                act(StartUp.Event.TIMED_OUT);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Processes an event of the start; the caller holds the lock. */
    private void act(StartUp.Event event) {
        if (startUp == StartUp.FLOWING) {
            return;
        }
        var step = startUp.on(event);
        startUp = step.next();
        for (var action : step.actions()) {
            switch (action) {
                case START_TIMER -> {
                    firstFrameTimer.start(System.nanoTime());
                    completionQueue.watchStartUp(queuePair);
                }
                case SEND_EMPTY_WRITE -> {
                    outbound.postEmptyWrite();
                    write();
                }
                case RELEASE -> {
                    outbound.release();
                    write();
                }
            }
        }
    }

    /** Records that a whole frame of the peer has arrived. */
    void frameReceived() {
        if (flows) {
            return;
        }
        flows = true;
        lock.lock();
        try {
            act(StartUp.Event.RECEIVED);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Queues the response to a Read Request of the peer, and writes.
     *
     * @return false if the peer has more of them outstanding than was agreed on
     */
    boolean respond(SendElement response) {
        lock.lock();
        try {
            if (!outbound.respond(response)) {
                return false;
            }
            write();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the oldest Read Request on the wire; null if there is none. */
    SendElement oldestRead() {
        lock.lock();
        try {
            return outbound.oldestRead();
        } finally {
            lock.unlock();
        }
    }

    /** Completes the oldest RDMA Read, all bytes of which are placed. */
    void readDone() {
        lock.lock();
        try {
            outbound.readDone();
            write();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the oldest RDMA Read, if there is one, with this status. */
    void endOldestRead(Status status) {
        lock.lock();
        try {
            if (outbound.oldestRead() != null) {
                outbound.oldestRead().end(status);
            }
        } finally {
            lock.unlock();
        }
    }
}
