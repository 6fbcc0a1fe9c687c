package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.QueuePair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A queue of completions, with a selector for the connections that have bytes to read. The polling
 * thread reads these bytes.
 *
 * <p>Tests: {@code IwarpSleepingContractTest}, {@code ManyConnectionsTest}.
 */
final class IwarpCompletionQueue implements CompletionQueue {
    /** How often the polling thread checks the connections in start-up. */
    private static final long START_UP_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The most quiet completions that accumulate before the waiting thread wakes for them. */
    private static final int QUIET_MAX = 64;

    /**
     * The most consecutive direct reads of a lone connection before the selector is asked. Without
     * this limit, the thread would miss new connections and writable sockets.
     */
    private static final int DIRECT_READS_MAX = 16;

    /** About the most bytes to read in one pass over the connections. */
    private static final long PASS_BYTES = 64 << 20;

    /**
     * A virtual thread yields to other virtual threads once in this many times that it busy-polls.
     * A yield costs more than one of these times, because it wakes another carrier thread.
     */
    private static final int VIRTUAL_TURNS = 64;

    private final Selector selector;
    private final BusyPollBackoff backoff = new BusyPollBackoff();
    private final BusyPollPermits permits;
    private final long busyPollNanos;

    /** The connection that was read last; null if there is none or it has ended. */
    private IwarpQueuePair last;

    /** How many times in a row it was read without asking the selector. */
    private int directReads;

    /** How many connections had bytes in the last pass over all, and in this one. */
    private int readBefore;

    private int readNow;

    /** How many times a virtual thread has busy-polled. */
    private int virtualBusyPolls;

    /** Guarded by itself. */
    private final ArrayDeque<Completion> ready = new ArrayDeque<>();

    private final ConcurrentLinkedQueue<IwarpQueuePair> broken = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<IwarpQueuePair> starting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean polling = new AtomicBoolean();

    /** How many quiet completions were added since the last poll. Guarded by the completions. */
    private int quietCount;

    private final AtomicBoolean woken = new AtomicBoolean();

    /** Whether the polling thread waits or is about to wait: then changes must wake it. */
    private volatile boolean selecting;

    private final Consumer<SelectionKey> onReady = this::progress;

    /**
     * Makes a queue with a selector of its own.
     *
     * @param permits the permits of its provider
     * @param busyPollNanos how long a thread busy-polls before it sleeps, in nanoseconds
     */
    IwarpCompletionQueue(BusyPollPermits permits, long busyPollNanos) {
        this.permits = permits;
        this.busyPollNanos = busyPollNanos;
        try {
            selector = Selector.open();
        } catch (IOException failure) {
            throw new UncheckedIOException("no selector is left", failure);
        }
    }

    @Override
    public int poll(Collection<? super Completion> into, long timeoutNanos)
            throws InterruptedException {
        if (!selector.isOpen()) {
            throw new IllegalStateException("the completion queue is closed");
        }
        if (!polling.compareAndSet(false, true)) {
            throw new IllegalStateException("another thread is polling the completion queue");
        }
        try {
            return pollAlone(into, timeoutNanos);
        } catch (IOException failure) {
            throw new UncheckedIOException("the selector failed", failure);
        } finally {
            polling.set(false);
        }
    }

    private int pollAlone(Collection<? super Completion> into, long timeoutNanos)
            throws IOException, InterruptedException {
        int count = drain(into);
        if (count > 0) {
            return count;
        }
        long start = System.nanoTime();
        while (true) {
            long left = timeoutNanos;
            if (timeoutNanos != FOREVER) {
                left = Math.max(0, timeoutNanos - (System.nanoTime() - start));
            }
            progress(left);
            count = drain(into);
            if (count > 0 || left == 0) {
                return count;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (woken.getAndSet(false)) {
                return 0;
            }
        }
    }

    private int drain(Collection<? super Completion> into) {
        synchronized (ready) {
            quietCount = 0;
            int count = ready.size();
            for (int i = 0; i < count; i++) {
                into.add(ready.removeFirst());
            }
            return count;
        }
    }

    private boolean isReady() {
        synchronized (ready) {
            return !ready.isEmpty();
        }
    }

    /** Returns whether there is work that no socket reports. */
    private boolean hasOtherWork() {
        return isReady() || !broken.isEmpty() || woken.get();
    }

    private void progress(long waitNanos) throws IOException {
        readBefore = readNow;
        readNow = 0;
        if (waitNanos == 0) {
            select(0);
        } else {
            await(waitNanos);
        }
        for (var each = broken.poll(); each != null; each = broken.poll()) {
            try {
                each.endBroken();
            } catch (RuntimeException | Error mistake) {
                each.fail(mistake);
                throw mistake;
            }
        }
        if (!starting.isEmpty()) {
            long now = System.nanoTime();
            starting.removeIf(each -> !each.checkStartUp(now));
        }
    }

    private void await(long waitNanos) throws IOException {
        permits.enter();
        try {
            if (!stayAwake(waitNanos)) {
                select(waitNanos);
            }
        } finally {
            permits.leave();
        }
    }

    /**
     * Busy-polls for a while instead of sleeping. It does not do so in the middle of a message:
     * reading a busy peer's bytes in small amounts would keep both sides busy with little progress.
     *
     * @return whether there was something to do
     */
    private boolean stayAwake(long waitNanos) throws IOException {
        if (last != null && last.state() == QueuePair.State.ERROR) {
            last = null;
        }
        boolean isVirtual = Thread.currentThread().isVirtual();
        if (last != null && last.isMidMessage()
                || !backoff.mayBusyPoll()
                || !permits.begin(isVirtual)) {
            return false;
        }
        try {
            if (isVirtual && ++virtualBusyPolls % VIRTUAL_TURNS == 0) {
                Thread.yield();
            }
            return busyPoll(Math.min(waitNanos, busyPollNanos), isVirtual);
        } finally {
            permits.end();
        }
    }

    /** Polls until there is something to do, time is up, or another thread wants the processor. */
    private boolean busyPoll(long most, boolean isVirtual) throws IOException {
        long start = System.nanoTime();
        for (long now = start; now - start < most; ) {
            if (readLast() || selector.selectNow(onReady) > 0 || hasOtherWork()) {
                backoff.succeeded();
                return true;
            }
            if (!isVirtual) {
                // Other threads with work go first.
                Thread.yield();
            }
            long before = now;
            now = System.nanoTime();
            if (now - before > BusyPollBackoff.CONTENDED_NANOS) {
                backoff.contended();
                return false;
            }
        }
        backoff.failed();
        return false;
    }

    /**
     * Reads the last connection directly if it is the only one. Returns whether bytes had arrived.
     */
    private boolean readLast() {
        boolean found =
                last != null
                        && directReads < DIRECT_READS_MAX
                        && selector.keys().size() == 1
                        && progress(last, SelectionKey.OP_READ, Inbound.TURN_BYTES);
        directReads = found ? directReads + 1 : 0;
        return found;
    }

    /** Waits in the selector, asleep. */
    private void select(long waitNanos) throws IOException {
        selecting = true;
        try {
            long wait = starting.isEmpty() ? waitNanos : Math.min(waitNanos, START_UP_TURN_NANOS);
            if (wait == 0 || hasOtherWork()) {
                selector.selectNow(onReady);
            } else if (wait == FOREVER) {
                selector.select(onReady);
            } else {
                // A selector waits for whole milliseconds, and without limit if that is zero.
                long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait));
                selector.select(onReady, millis);
            }
        } finally {
            selecting = false;
        }
    }

    private void progress(SelectionKey key) {
        // The wait is over: this thread's own completions need not wake it.
        selecting = false;
        int ready;
        try {
            ready = key.readyOps();
        } catch (CancelledKeyException _) {
            // Another thread has closed the connection.
            return;
        }
        last = (IwarpQueuePair) key.attachment();
        readNow++;
        progress(last, ready, turnBytes(readBefore));
    }

    /**
     * Returns how much one connection may read in a pass, so that each has its next turn soon,
     * however many have bytes.
     *
     * @param connections how many had bytes in the pass before
     */
    static long turnBytes(int connections) {
        return Math.clamp(
                PASS_BYTES / Math.max(1, connections), Inbound.READ_BYTES, Inbound.TURN_BYTES);
    }

    /**
     * Reads or writes a connection. A bug of this side, or lack of memory, ends only that
     * connection.
     */
    private static boolean progress(IwarpQueuePair queuePair, int ready, long turnBytes) {
        try {
            return queuePair.progress(ready, turnBytes);
        } catch (RuntimeException | Error mistake) {
            queuePair.fail(mistake);
            throw mistake;
        }
    }

    /**
     * Returns the queue as this provider's type.
     *
     * @throws IllegalArgumentException if the queue is of another provider
     */
    static IwarpCompletionQueue of(CompletionQueue queue) {
        if (queue instanceof IwarpCompletionQueue own) {
            return own;
        }
        throw new IllegalArgumentException("the completion queue is of another provider");
    }

    /** Adds a completion and wakes the waiting thread. Any thread may call it. */
    void add(Completion completion) {
        synchronized (ready) {
            ready.addLast(completion);
        }
        wakeSelector();
    }

    /**
     * Adds a quiet completion, which wakes the waiting thread only when there are {@link
     * #QUIET_MAX} of them.
     */
    void addQuiet(Completion completion) {
        boolean many;
        synchronized (ready) {
            ready.addLast(completion);
            many = ++quietCount >= QUIET_MAX;
        }
        if (many) {
            wakeSelector();
        }
    }

    /**
     * Reports a connection that failed on a thread that may not end it. The polling thread ends it.
     */
    void reportBroken(IwarpQueuePair queuePair) {
        broken.add(queuePair);
        wakeSelector();
    }

    /** Adds a connection in start-up, which the polling thread then checks. */
    void watchStartUp(IwarpQueuePair queuePair) {
        starting.add(queuePair);
        wakeSelector();
    }

    SelectionKey register(SocketChannel channel, IwarpQueuePair queuePair)
            throws ClosedChannelException {
        var key = channel.register(selector, SelectionKey.OP_READ, queuePair);
        wakeSelector();
        return key;
    }

    /**
     * Watches a connection for arriving bytes, and for room to write if there are bytes to write.
     *
     * @param key the key from {@link #register}
     */
    void watch(SelectionKey key, boolean hasToWrite) {
        int wanted =
                hasToWrite ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (key.isValid() && key.interestOps() != wanted) {
            key.interestOps(wanted);
            wakeSelector();
        }
    }

    /** Makes a running select notice changes. */
    void wakeSelector() {
        if (selecting) {
            selector.wakeup();
        }
    }

    @Override
    public void wakeup() {
        woken.set(true);
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            selector.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("the selector cannot be closed", failure);
        }
    }
}
