package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A world with a virtual clock and a queue of events that run one after another. Events run on the
 * thread that polls a completion queue, connects, or calls {@link #step}. With a {@link Waiter} of
 * its own, they run only on the thread that calls {@link #step}. Not thread-safe.
 */
public final class SimWorld {
    /** Decides how threads wait for events of a world, and for each other. */
    public interface Waiter {
        /**
         * Waits until a condition holds or the time is up.
         *
         * @param wanted returns whether the condition holds
         * @param timeoutNanos the longest time to wait, in virtual nanoseconds; {@link
         *     Long#MAX_VALUE} for no limit
         * @throws InterruptedException if the thread is interrupted
         */
        void await(BooleanSupplier wanted, long timeoutNanos) throws InterruptedException;

        /** Lets another thread run first, because this thread is about to use a queue pair. */
        default void yieldToOthers() {}
    }

    private record Event(long time, long number, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** The exception of a post that fails at random. */
    public static final class FailedPost extends RuntimeException {
        private static final long serialVersionUID = 1;

        FailedPost() {
            super("a post failed by chance");
        }
    }

    private static final int FIRST_PORT = 40_000;

    private final SplittableRandom random;
    private final SimOptions options;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Runnable> agents = new ArrayList<>();
    private final Map<InetSocketAddress, SimListener> listeners = new HashMap<>();
    private final SimProvider provider = new SimProvider(this, new SimTap() {});
    private long now;
    private long eventCount;
    private int nextPort = FIRST_PORT;
    private int openQueuePairs;
    private int openCompletionQueues;
    private int queuePairs;
    private int failedPosts;
    private Waiter waiter = this::stepUntil;
    private Consumer<String> trace;

    /** Makes a world whose random numbers come from {@code seed}. */
    public SimWorld(long seed, SimOptions options) {
        this.random = new SplittableRandom(seed);
        this.options = options;
    }

    /** Returns a provider without a tap, for any number of sides. */
    public RdmaProvider provider() {
        return provider;
    }

    /** Returns a provider for one side, whose tap observes the requests of that side. */
    public RdmaProvider provider(SimTap tap) {
        return new SimProvider(this, tap);
    }

    /** Returns the virtual nanoseconds since the start of the world. */
    public long nanoTime() {
        return now;
    }

    /** Returns the source of all random numbers of this world. */
    public RandomGenerator random() {
        return random;
    }

    /**
     * Sets a consumer for the trace: one line per loss and completion, with its time and queue
     * pair.
     */
    public void trace(Consumer<String> lines) {
        trace = lines;
    }

    /** Adds an action that runs after every event, for instance the turn of a server. */
    public void agent(Runnable agent) {
        agents.add(agent);
    }

    /**
     * Schedules an event.
     *
     * @param nanos virtual nanoseconds from now
     */
    public void after(long nanos, Runnable what) {
        events.add(new Event(now + nanos, eventCount++, what));
    }

    /** Sets how threads wait from now on. By default a waiting thread steps the world. */
    public void setWaiter(Waiter changed) {
        waiter = changed;
    }

    /**
     * Returns whether the next scheduled event is due within {@code withinNanos} virtual
     * nanoseconds.
     */
    public boolean isDue(long withinNanos) {
        var next = events.peek();
        return next != null && next.time - now <= withinNanos;
    }

    void await(BooleanSupplier wanted, long timeoutNanos) throws InterruptedException {
        waiter.await(wanted, timeoutNanos);
    }

    void yieldToOthers() {
        waiter.yieldToOthers();
    }

    /** Returns how many queue pairs are connected and not closed at their own end. */
    public int openQueuePairs() {
        return openQueuePairs;
    }

    /** Returns how many completion queues are open. */
    public int openCompletionQueues() {
        return openCompletionQueues;
    }

    /** Adds to the count of open completion queues; {@code more} is negative for closed ones. */
    void countCompletionQueues(int more) {
        openCompletionQueues += more;
    }

    /**
     * Runs the next event, and then all agents.
     *
     * @return false if there is no event
     */
    public boolean step() {
        var event = events.poll();
        if (event == null) {
            return false;
        }
        now = event.time;
        event.what.run();
        for (int i = 0; i < agents.size(); i++) {
            agents.get(i).run();
        }
        return true;
    }

    /** Steps until there is no event. */
    public void settle() {
        while (step()) {}
    }

    /**
     * Steps until {@code wanted} holds or the time is up.
     *
     * @param timeoutNanos in virtual nanoseconds; the clock advances to the end of it if no event
     *     does
     */
    private void stepUntil(BooleanSupplier wanted, long timeoutNanos) {
        long deadline = timeoutNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + timeoutNanos;
        while (!wanted.getAsBoolean()) {
            var next = events.peek();
            if (next == null || next.time > deadline) {
                if (deadline != Long.MAX_VALUE) {
                    now = Math.max(now, deadline);
                }
                return;
            }
            step();
        }
    }

    /** Traces an event of a queue pair, if there is a trace. */
    void note(int queuePair, Object what) {
        if (trace != null) {
            trace.accept(now + " ns, queue pair " + queuePair + ": " + what);
        }
    }

    int nextQueuePair() {
        return ++queuePairs;
    }

    boolean scribbles() {
        return options.scribbles();
    }

    /** Returns a random delay at one end, in nanoseconds. */
    long delay() {
        return random.nextLong(options.delayMaxNanos() + 1);
    }

    /** Returns a random transit time of a message, in nanoseconds. */
    long transit() {
        return options.latencyNanos() + delay();
    }

    /** Draws whether the connection is lost now. */
    boolean loses() {
        return isDrawn(options.lossPerMillion());
    }

    /** Draws whether a post fails now. */
    boolean failsToPost() {
        boolean fails = isDrawn(options.failedPostsPerMillion());
        failedPosts += fails ? 1 : 0;
        return fails;
    }

    /** Returns how many posts have failed at random. */
    public int failedPosts() {
        return failedPosts;
    }

    private boolean isDrawn(int perMillion) {
        return perMillion > 0 && random.nextInt(1_000_000) < perMillion;
    }

    InetSocketAddress freeAddress(InetSocketAddress wanted) {
        return wanted.getPort() == 0
                ? new InetSocketAddress(wanted.getAddress(), nextPort++)
                : wanted;
    }

    /**
     * Binds a listener to an address.
     *
     * @return false if the address already has a listener
     */
    boolean bind(InetSocketAddress address, SimListener listener) {
        return listeners.putIfAbsent(address, listener) == null;
    }

    void unbind(InetSocketAddress address) {
        listeners.remove(address);
    }

    SimListener listener(InetSocketAddress address) {
        return listeners.get(address);
    }

    void opened() {
        openQueuePairs++;
    }

    void ended() {
        openQueuePairs--;
    }
}
