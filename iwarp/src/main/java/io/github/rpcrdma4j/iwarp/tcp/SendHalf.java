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
 * The sending half of a queue pair, with the lock that guards it. A thread that finds the
 * connection broken while it sends leaves the end of it to the thread that polls.
 */
final class SendHalf {
    private final IwarpQueuePair queuePair;
    private final IwarpCompletionQueue completionQueue;
    private final SoftwareWindows windows;
    private final int queueSize;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as is what follows. Null before the connection stands. */
    private Outbound outbound;

    private SelectionKey key;
    private StartUp startUp;
    private final FirstFrameTimer kicks = new FirstFrameTimer();

    /** What was told last: a steady stream of the same makes no garbage. */
    private Completion lastCompletion;

    /** The handle of what the peer read from when it was invalidated. */
    private volatile Optional<UnknownHandle> unknownHandle = Optional.empty();

    /** Whether both sides send; used by the thread that polls alone. */
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

    /** Takes the lock, for a change of the state of the queue pair. */
    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** The connection stands; the lock is held. */
    void start(Outbound half, SelectionKey itsKey, boolean isInitiator) {
        outbound = half;
        key = itsKey;
        startUp = StartUp.of(isInitiator);
    }

    Optional<UnknownHandle> unknownHandle() {
        return unknownHandle;
    }

    /**
     * Queues work and writes what the socket takes.
     *
     * @throws IllegalStateException if there is too much, or the queue pair was never connected
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
     * Writes what the socket takes.
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

    /** Posted work has ended; the lock is held. */
    void completed(SendElement element, Status status) {
        var signal = status == Status.SUCCESS ? element.signal() : Signal.SIGNALED;
        if (signal == Signal.UNSIGNALED) {
            return;
        }
        if (lastCompletion == null || !element.isSaidBy(lastCompletion, status)) {
            lastCompletion = element.completion(queuePair, status);
        }
        if (signal == Signal.QUIET) {
            completionQueue.addUnsignaled(lastCompletion);
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
            // The last two: memory of posted work was closed, or a mapped file was cut short.
            breakOff("the connection was lost: " + gone.getMessage());
            return true;
        }
    }

    private void breakOff(String why) {
        queuePair.act(StreamState.Event.SEND_FAILED, why);
    }

    /** Says what the peer did, as the last words; the lock is held. */
    void terminate(Outcome.Broken broken) {
        outbound.terminate(Terminate.of(broken.fault()), broken.offender());
    }

    /** Ends all posted work, as flushed; the lock is held. */
    void flushAll() {
        if (outbound != null) {
            outbound.flushAll();
        }
    }

    /** Wakes a passive peer that missed the first frame; says whether to ask again later. */
    boolean kick(long now) {
        lock.lock();
        try {
            if (startUp != StartUp.SENDING || !queuePair.stream().maySend() || kicks.isOver()) {
                return false;
            }
            if (kicks.kick(now)) {
                act(StartUp.Event.TIME_IS_UP);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Something happened that matters at the start; the lock is held. */
    private void act(StartUp.Event event) {
        if (startUp == StartUp.FLOWING) {
            return;
        }
        var step = startUp.on(event);
        startUp = step.next();
        for (var action : step.actions()) {
            switch (action) {
                case WATCH -> {
                    kicks.start(System.nanoTime());
                    completionQueue.reportYoung(queuePair);
                }
                case KICK -> {
                    outbound.kick();
                    write();
                }
                case RELEASE -> {
                    outbound.release();
                    write();
                }
            }
        }
    }

    /** A whole frame of the peer has come. */
    void heard() {
        if (flows) {
            return;
        }
        flows = true;
        lock.lock();
        try {
            act(StartUp.Event.HEARD);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Owes the peer the answer to a Read Request.
     *
     * @return false if it has more of them outstanding than was agreed on
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

    /** The oldest Read Request that is on the wire; null if there is none. */
    SendElement oldestRead() {
        lock.lock();
        try {
            return outbound.oldestRead();
        } finally {
            lock.unlock();
        }
    }

    /** All bytes of the oldest Read are placed. */
    void readDone() {
        lock.lock();
        try {
            outbound.readDone();
            write();
        } finally {
            lock.unlock();
        }
    }

    /** The oldest Read, if there is one, ends so. */
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
