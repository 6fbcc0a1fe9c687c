package io.github.rpcrdma4j.oncrpc.spi;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads, and platform threads for calls that wait in system calls. Thread-safe. */
final class DefaultCallThreads implements CallThreads {
    private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
    private final PlatformThreads shortCalls;
    private final PlatformThreads longCalls;

    DefaultCallThreads(String name, FailureLog failures) {
        shortCalls = new PlatformThreads(name + "short-", virtual, failures);
        longCalls = new PlatformThreads(name + "long-", virtual, failures);
    }

    @Override
    public void execute(Runnable task) {
        virtual.execute(task);
    }

    @Override
    public void execute(Object client, Runnable call, Kind kind) {
        switch (kind) {
            case VIRTUAL -> virtual.execute(call);
            case SHORT -> shortCalls.execute(client, call);
            case LONG -> longCalls.execute(client, call);
        }
    }

    @Override
    public void stop() {
        shortCalls.stop();
        longCalls.stop();
        virtual.shutdownNow();
    }

    @Override
    public void close() {
        stop();
        shortCalls.close();
        longCalls.close();
        virtual.close();
    }
}
