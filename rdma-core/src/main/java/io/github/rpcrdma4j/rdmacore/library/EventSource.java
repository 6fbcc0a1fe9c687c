package io.github.rpcrdma4j.rdmacore.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the events of a device: asynchronous ones, completions, and those of connections.
 * Exactly one thread uses it.
 */
public final class EventSource {
    private static final int POLLFD_SIZE = 8;
    private static final int REVENTS = 6;
    private static final int POLLIN = 1;
    private static final int TIDY_MILLIS = 1000;
    private static final int INTERRUPTED = -4;

    private final long context;
    private final long completionChannel;
    private final long connectionChannel;
    private final MemorySegment memory = Arena.global().allocate(256);
    private final long descriptors = memory.address();
    private final long first = descriptors + 64;
    private final long second = first + Long.BYTES;
    private final long asyncEvent = first + 2 * Long.BYTES;
    private long nextTidy = System.nanoTime();

    /** Receives the events, on the thread that waits. */
    public interface Handler {
        /** Handles the event of a completion queue, which is acknowledged. */
        void completion(long cqContext);

        /** Handles an asynchronous event: its type, and the pointer or port that it is about. */
        void asynchronous(int type, long element);

        /** Handles an event of a connection, which is acknowledged. */
        void connection(ConnectionEvent event);

        /** Frees what is no longer of use. Called once in a second. */
        void tidy();
    }

    /**
     * Makes the source of a context and of two channels. A read from one of the three returns at
     * once from now on: the kernel drops the events of what another thread destroys, so an event
     * that is announced may be gone when it is read.
     */
    public EventSource(long context, long completionChannel, long connectionChannel) {
        this.context = context;
        this.completionChannel = completionChannel;
        this.connectionChannel = connectionChannel;
        watch(0, Memory.int32(context + Layouts.Context.ASYNC_FD));
        watch(1, Memory.int32(completionChannel + Layouts.CompletionChannel.FD));
        watch(2, Memory.int32(connectionChannel + Layouts.EventChannel.FD));
    }

    private void watch(int index, int descriptor) {
        int error = Verbs.makeNonBlocking(descriptor);
        if (error != 0) {
            throw new IllegalStateException(
                    "the events of an adapter cannot be watched: error " + error);
        }
        Memory.int32(descriptors + index * POLLFD_SIZE, descriptor);
        Memory.int16(descriptors + index * POLLFD_SIZE + 4, POLLIN);
    }

    private boolean isReady(int index) {
        return Memory.uint16(descriptors + index * POLLFD_SIZE + REVENTS) != 0;
    }

    /**
     * Waits for events and hands them over.
     *
     * @return whether there may be further events
     */
    public boolean next(Handler handler) {
        int ready = Verbs.poll(descriptors, 3, TIDY_MILLIS);
        if (System.nanoTime() - nextTidy >= 0) {
            nextTidy = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIDY_MILLIS);
            handler.tidy();
        }
        if (ready < 0) {
            return ready == INTERRUPTED;
        }
        // Why a connection ended comes before that it ended.
        if (isReady(0) && Verbs.getAsyncEvent(context, asyncEvent) == 0) {
            int type = Memory.int32(asyncEvent + Layouts.AsyncEvent.EVENT_TYPE);
            long element = Memory.int64(asyncEvent + Layouts.AsyncEvent.ELEMENT);
            Verbs.ackAsyncEvent(asyncEvent);
            handler.asynchronous(type, element);
        }
        if (isReady(1) && Verbs.getCqEvent(completionChannel, first, second) == 0) {
            Verbs.ackCqEvent(Memory.int64(first));
            handler.completion(Memory.int64(second));
        }
        if (isReady(2) && RdmaCm.getEvent(connectionChannel, first) == 0) {
            long event = Memory.int64(first);
            var copied = ConnectionEvent.copy(event);
            RdmaCm.ackEvent(event);
            handler.connection(copied);
        }
        return true;
    }
}
