package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.sim.SimWorld;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Threads that run one at a time, on the thread of a test, in a random order. They are virtual
 * threads with a scheduler of their own. Another thread runs when a thread waits for a lock, a
 * thread or a time, and at random points. Time is that of a simulated world. It advances at random,
 * or when no thread can run.
 */
public final class SteppedThreads implements Threads, SimWorld.Waiter {
    /** While a thread can run, the time of the world advances by at most this per step. */
    private static final long SLOW_NANOS = 20_000;

    /** The longest real time in which a thread must get a monitor, or end a wait in real time. */
    private static final long REAL_NANOS = 10_000_000_000L;

    /** The limit on steps of a run; a session needs less than a hundredth of it. */
    private static final int STEPS_MAX = 1_000_000;

    /** If nothing is due for this time, all threads wait for a timeout. */
    private static final long IDLE_NANOS = 300_000_000;

    private final SimWorld world;
    private final RandomGenerator random;
    private final int processors;
    private final Queue<Ready> arrived = new ConcurrentLinkedQueue<>();
    private final List<Ready> runnable = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final Set<Thread> alive = new LinkedHashSet<>();
    private String idle = "";
    private final List<Throwable> failures = new ArrayList<>();

    /** A thread that can run, and its continuation. */
    private record Ready(Thread thread, Runnable rest) {}

    /** A thread that waits for something in the world. */
    private record Waiting(Thread thread, BooleanSupplier wanted) {}

    /**
     * @param processors the number of processors that the code under test sees
     */
    public SteppedThreads(SimWorld world, int processors) {
        this.world = world;
        this.random = world.random();
        this.processors = processors;
        world.setWaiter(this);
    }

    /**
     * Runs a thread, and all threads that it starts, until all have ended.
     *
     * @throws AssertionError if one of them fails, or none can run and some have not ended
     */
    public void run(String name, Runnable work) {
        unstarted(name, work).start();
        int steps = 0;
        do {
            step();
            if (++steps > STEPS_MAX) {
                throw new AssertionError("threads run and get nowhere: " + standing());
            }
        } while (!alive.isEmpty() || !arrived.isEmpty() || !runnable.isEmpty());
        for (var failure : failures) {
            throw new AssertionError(failure + idle, failure);
        }
    }

    private void step() {
        wakeWaiting();
        for (var next = arrived.poll(); next != null; next = arrived.poll()) {
            runnable.add(next);
        }
        if (!runnable.isEmpty() && random.nextInt(200) == 0) {
            // Time also passes for a thread that polls without waiting.
            world.after(SLOW_NANOS, () -> {});
        }
        if (runnable.isEmpty()) {
            goOn();
        } else if (world.isDue(SLOW_NANOS) && random.nextInt(4) == 0) {
            world.step();
        } else {
            // The last thread replaces the running one in the list: the order is random anyway.
            int chosen = random.nextInt(runnable.size());
            var last = runnable.removeLast();
            run(chosen == runnable.size() ? last : runnable.set(chosen, last));
        }
    }

    /** Advances the world while no thread is runnable. */
    private void goOn() {
        if (!world.isDue(IDLE_NANOS)) {
            idle = standing();
        }
        if (!world.step()) {
            throw new AssertionError("no thread can go on: " + standing());
        }
    }

    private void wakeWaiting() {
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (waiting.get(i).wanted.getAsBoolean()) {
                LockSupport.unpark(waiting.remove(i).thread);
            }
        }
    }

    /**
     * Runs a thread until it waits. While it waits in real time, no other thread runs and no time
     * passes in the world: for a monitor of the JDK, held by a platform thread, or for memory that
     * the garbage collector frees. So a session does not depend on what the JDK does meanwhile.
     */
    private void run(Ready ready) {
        for (var next = ready; next != null; next = afterRealTime(next.thread)) {
            next.rest.run();
        }
    }

    /**
     * Returns a thread that waited in real time, once a platform thread has made it runnable; null
     * if it waits for something else, has ended, or lets others run.
     */
    private Ready afterRealTime(Thread thread) {
        long start = System.nanoTime();
        while (isUnderWay(thread)) {
            for (var each : arrived) {
                if (each.thread == thread) {
                    return !hasYielded(thread) && arrived.remove(each) ? each : null;
                }
            }
            if (System.nanoTime() - start > REAL_NANOS) {
                throw new AssertionError(
                        "a thread waits for another thread or in real time: " + standing());
            }
            Thread.onSpinWait();
        }
        return null;
    }

    private static boolean isUnderWay(Thread thread) {
        return switch (thread.getState()) {
            case NEW, WAITING, TERMINATED -> false;
            // Threads wait for a time of the world without a timeout of their own.
            case RUNNABLE, BLOCKED, TIMED_WAITING -> true;
        };
    }

    /** Returns the failures, and the stack traces of all live threads. */
    public String standing() {
        var lines = new StringBuilder(failures.toString());
        for (var thread : alive) {
            lines.append("\n  ").append(thread.getName());
            for (var frame : thread.getStackTrace()) {
                lines.append("\n    ").append(frame);
            }
        }
        return lines.toString();
    }

    /** Lets another thread run, at random. */
    @Override
    public void yieldToOthers() {
        if (random.nextInt(6) == 0) {
            Thread.yield();
        }
    }

    @Override
    public void await(BooleanSupplier wanted, long timeoutNanos) throws InterruptedException {
        long deadline = world.nanoTime() + Math.min(timeoutNanos, Long.MAX_VALUE / 2);
        yieldToOthers();
        while (!wanted.getAsBoolean() && world.nanoTime() < deadline) {
            var own = new Waiting(Thread.currentThread(), wanted);
            waiting.add(own);
            park(this, timeoutNanos == Long.MAX_VALUE ? timeoutNanos : deadline - nanoTime());
            waiting.remove(own);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public int processors() {
        return processors;
    }

    @Override
    public long nanoTime() {
        return world.nanoTime();
    }

    @Override
    public void park(Object blocker, long nanos) {
        yieldToOthers();
        if (nanos != Long.MAX_VALUE) {
            var thread = Thread.currentThread();
            world.after(Math.max(0, nanos), () -> LockSupport.unpark(thread));
        }
        LockSupport.park(blocker);
    }

    @Override
    public Thread unstarted(String name, Runnable work) {
        var own = new Thread[1];
        own[0] =
                builder(rest -> arrived.add(new Ready(own[0], rest)))
                        .name(name)
                        .unstarted(() -> live(work));
        return own[0];
    }

    private void live(Runnable work) {
        alive.add(Thread.currentThread());
        try {
            work.run();
        } catch (RuntimeException | Error failure) {
            failures.add(failure);
        } finally {
            alive.remove(Thread.currentThread());
        }
    }

    /**
     * Returns a builder of virtual threads with a given scheduler. Only the constructor that the
     * tests of the JDK use can create one.
     */
    private static Thread.Builder.OfVirtual builder(Executor scheduler) {
        try {
            return BUILDER.newInstance(scheduler);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static final Constructor<? extends Thread.Builder.OfVirtual> BUILDER = findBuilder();

    private static Constructor<? extends Thread.Builder.OfVirtual> findBuilder() {
        try {
            var constructor =
                    Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                            .asSubclass(Thread.Builder.OfVirtual.class)
                            .getDeclaredConstructor(Executor.class);
            constructor.setAccessible(true);
            return constructor;
        } catch (ReflectiveOperationException missing) {
            throw new AssertionError(missing);
        }
    }

    /** Returns whether a thread has called {@link Thread#yield}, and has not run since. */
    private static boolean hasYielded(Thread thread) {
        try {
            return STATE.getInt(thread) == YIELDED;
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The state of a virtual thread; {@link Thread#getState} does not tell why it can run. */
    private static final Field STATE = field("state");

    private static final int YIELDED = yielded();

    private static int yielded() {
        try {
            return field("YIELDED").getInt(null);
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Field field(String name) {
        try {
            var field = Class.forName("java.lang.VirtualThread").getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException missing) {
            throw new AssertionError(missing);
        }
    }

    @Override
    public CallThreads callThreads(String name, FailureLog log) {
        return new OneEach(name);
    }

    /** Runs each call on a new thread. */
    private final class OneEach implements CallThreads {
        private final String name;
        private final Set<Thread> running = new LinkedHashSet<>();
        private int count;
        private boolean stopped;

        OneEach(String name) {
            this.name = name;
        }

        @Override
        public void execute(Runnable task) {
            if (stopped) {
                throw new RejectedExecutionException("the threads were stopped");
            }
            var thread =
                    unstarted(
                            name + count++,
                            () -> {
                                try {
                                    task.run();
                                } finally {
                                    running.remove(Thread.currentThread());
                                }
                            });
            running.add(thread);
            thread.start();
        }

        @Override
        public void execute(Object client, Runnable call, Kind kind) {
            execute(call);
        }

        @Override
        public void stop() {
            stopped = true;
            running.forEach(Thread::interrupt);
        }

        @Override
        public void close() {
            stop();
            for (var thread : List.copyOf(running)) {
                CallThreads.awaitEnd(thread);
            }
        }
    }
}
