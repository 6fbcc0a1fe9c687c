package io.github.rpcrdma4j.rdmacore.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the events of a device: asynchronous ones, completions, and those of connections.
 * Exactly one thread uses it.
 *
 * <p>Tests: {@code AdapterConnections}.
 */
public final class EventSource {
    private static final int POLLFD_SIZE = 8;
    private static final int EVENTS = 4;
    private static final int REVENTS = 6;
    private static final int POLLIN = 1;

    /** POLLERR, POLLHUP and POLLNVAL: the descriptor of a device that was removed. */
    private static final int POLL_FAILURES = 8 | 16 | 32;

    private static final int TIDY_MILLIS = 1000;

    /** In the order in which they are taken: why a connection ended comes before that it ended. */
    private enum Kind {
        ASYNCHRONOUS,
        COMPLETION,
        CONNECTION
    }

    private static final Kind[] KINDS = Kind.values();

    private final long context;
    private final long completionChannel;
    private final ConnectionChannel connectionChannel;
    private final MemorySegment memory = Arena.global().allocate(256);
    private final long descriptors = memory.address();
    private final long first = descriptors + 64;
    private final long second = first + Long.BYTES;
    private final long asyncEvent = first + 2 * Long.BYTES;
    private long nextTidy = System.nanoTime();

    /**
     * Receives the events, on the thread that waits.
     *
     * <p>What an event is about may be destroyed as soon as the event is acknowledged, and its
     * address may then be that of something else. So the handler first finds what the event
     * concerns, and acts after the acknowledgement.
     */
    public interface Handler {
        /** Handles the event of a completion queue, which is acknowledged. */
        void completion(long cqContext);

        /**
         * Returns what to do once an asynchronous event is acknowledged.
         *
         * @param element the pointer or port that the event is about
         */
        Runnable asynchronous(int type, long element);

        /** Returns what to do once an event of a connection is acknowledged. */
        Runnable connection(ConnectionEvent event);

        /** Frees what is no longer of use. Called once in a second. */
        void tidy();
    }

    /**
     * Makes the source of a context and of two channels. A read from one of the three returns at
     * once from now on: the kernel drops the events of what another thread destroys, so an event
     * that is announced may be gone when it is read.
     */
    public EventSource(long context, long completionChannel, ConnectionChannel connectionChannel) {
        this.context = context;
        this.completionChannel = completionChannel;
        this.connectionChannel = connectionChannel;
        watch(Kind.ASYNCHRONOUS, Memory.int32(context + Layouts.Context.ASYNC_FD));
        watch(Kind.COMPLETION, Memory.int32(completionChannel + Layouts.CompletionChannel.FD));
        watch(Kind.CONNECTION, connectionChannel.descriptor());
    }

    private void watch(Kind kind, int descriptor) {
        int error = Verbs.makeNonBlocking(descriptor);
        if (error != 0) {
            throw new IllegalStateException(
                    "the events of an adapter cannot be watched: " + Errno.text(error));
        }
        Memory.int32(pollfd(kind), descriptor);
        Memory.int16(pollfd(kind) + EVENTS, POLLIN);
    }

    private long pollfd(Kind kind) {
        return descriptors + kind.ordinal() * POLLFD_SIZE;
    }

    /**
     * Waits for events, for a second at most, and hands them over.
     *
     * @throws IllegalStateException if the system refuses to wait
     */
    public void next(Handler handler) {
        int ready = Verbs.poll(descriptors, KINDS.length, TIDY_MILLIS);
        if (System.nanoTime() - nextTidy >= 0) {
            nextTidy = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIDY_MILLIS);
            handler.tidy();
        }
        if (ready < 0 && ready != -Errno.EINTR) {
            throw new IllegalStateException("poll failed: " + Errno.text(-ready));
        }
        if (ready <= 0) {
            return;
        }
        for (var kind : KINDS) {
            int events = Memory.uint16(pollfd(kind) + REVENTS);
            if (events != 0 && !take(kind, handler) && (events & POLL_FAILURES) != 0) {
                // It would be ready for ever. poll(2) ignores negative descriptors.
                Memory.int32(pollfd(kind), -1);
            }
        }
    }

    /** Takes one event and hands it over. Returns whether there was one. */
    private boolean take(Kind kind, Handler handler) {
        return switch (kind) {
            case ASYNCHRONOUS -> takeAsynchronous(handler);
            case COMPLETION -> takeCompletion(handler);
            case CONNECTION -> takeConnection(handler);
        };
    }

    private boolean takeAsynchronous(Handler handler) {
        if (Verbs.getAsyncEvent(context, asyncEvent) != 0) {
            return false;
        }
        int type = Memory.int32(asyncEvent + Layouts.AsyncEvent.EVENT_TYPE);
        long element = Memory.int64(asyncEvent + Layouts.AsyncEvent.ELEMENT);
        Runnable action;
        try {
            action = handler.asynchronous(type, element);
        } finally {
            Verbs.ackAsyncEvent(asyncEvent);
        }
        action.run();
        return true;
    }

    private boolean takeCompletion(Handler handler) {
        if (Verbs.getCqEvent(completionChannel, first, second) != 0) {
            return false;
        }
        Verbs.ackCqEvent(Memory.int64(first));
        handler.completion(Memory.int64(second));
        return true;
    }

    private boolean takeConnection(Handler handler) {
        if (connectionChannel.take(first) != 0) {
            return false;
        }
        long event = Memory.int64(first);
        Runnable action;
        try {
            action = handler.connection(ConnectionEvent.copy(event));
        } finally {
            RdmaCm.ackEvent(event);
        }
        action.run();
        return true;
    }
}
