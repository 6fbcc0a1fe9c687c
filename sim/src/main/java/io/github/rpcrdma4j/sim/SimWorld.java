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
 * A world with its own clock, in which things happen one after the other. Everything in it runs on
 * the thread that polls a completion queue, connects, or calls {@link #step}; or, where threads
 * wait otherwise, on the one that calls {@link #step}. Not thread-safe.
 */
public final class SimWorld {
    /** How threads wait for something that happens in a world, and for each other. */
    public interface Waiter {
        /**
         * Waits until it has happened or the time is up.
         *
         * @param wanted whether it has happened
         * @param timeoutNanos the most time, virtual; {@link Long#MAX_VALUE} for no end
         * @throws InterruptedException if the thread is interrupted
         */
        void await(BooleanSupplier wanted, long timeoutNanos) throws InterruptedException;

        /** A thread is about to use a queue pair: another thread may go first. */
        default void pass() {}
    }

    private record Event(long time, long number, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** What is thrown by a post that fails by chance. */
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

    public SimWorld(long seed, SimOptions options) {
        this.random = new SplittableRandom(seed);
        this.options = options;
    }

    /** The provider of all connections in this world. */
    public RdmaProvider provider() {
        return provider;
    }

    /** A provider of this world for one side, whose tap is told what that side asks for. */
    public RdmaProvider provider(SimTap tap) {
        return new SimProvider(this, tap);
    }

    /** Virtual nanoseconds since the start. */
    public long nanoTime() {
        return now;
    }

    /** Where everything that is left to chance comes from. */
    public RandomGenerator random() {
        return random;
    }

    /**
     * Tells every loss and completion in a line, with its time and queue pair, to {@code lines}.
     */
    public void trace(Consumer<String> lines) {
        trace = lines;
    }

    /** Adds something that is run after every event: a server's turn, say. */
    public void agent(Runnable agent) {
        agents.add(agent);
    }

    /** Has something happen after a while. */
    public void after(long nanos, Runnable what) {
        events.add(new Event(now + nanos, eventCount++, what));
    }

    /** Sets how threads wait from now on. At first a thread that waits steps the world. */
    public void waitBy(Waiter changed) {
        waiter = changed;
    }

    /** Whether something happens within a time, if nothing is added before. */
    public boolean isDue(long withinNanos) {
        var next = events.peek();
        return next != null && next.time - now <= withinNanos;
    }

    void await(BooleanSupplier wanted, long timeoutNanos) throws InterruptedException {
        waiter.await(wanted, timeoutNanos);
    }

    void pass() {
        waiter.pass();
    }

    /** Queue pairs that are connected and not closed on their own side. */
    public int openQueuePairs() {
        return openQueuePairs;
    }

    /** Completion queues that were made and not closed. */
    public int openCompletionQueues() {
        return openCompletionQueues;
    }

    /** Counts completion queues that were made, or closed where it is negative. */
    void countCompletionQueues(int more) {
        openCompletionQueues += more;
    }

    /**
     * Lets the next thing happen, and the agents have their turns.
     *
     * @return false if nothing is left to happen
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

    /** Steps until nothing is left to happen. */
    public void settle() {
        while (step()) {}
    }

    /**
     * Steps as long as {@code wanted} has not come about and the time is not up.
     *
     * @param timeoutNanos virtual; the clock ends there if nothing happens before
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

    /** Notes what happened to a queue pair, if there is a listener. */
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

    /** How long something takes at one end. */
    long delay() {
        return random.nextLong(options.delayMaxNanos() + 1);
    }

    /** How long a message is on its way. */
    long transit() {
        return options.latencyNanos() + delay();
    }

    /** Whether chance has it that a connection is lost now. */
    boolean loses() {
        return isDrawn(options.lossPerMillion());
    }

    /** Whether chance has it that a post fails now. */
    boolean failsToPost() {
        boolean fails = isDrawn(options.failedPostsPerMillion());
        failedPosts += fails ? 1 : 0;
        return fails;
    }

    /** How many posts have failed by chance. */
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
     * @return false if there is a listener already
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
