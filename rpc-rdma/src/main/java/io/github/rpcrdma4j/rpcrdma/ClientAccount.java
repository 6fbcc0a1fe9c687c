package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.rpcrdma.responder.Allowance;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the connections from one address hold together. Thread-safe. Its lock is held for a few
 * instructions, and nothing is called meanwhile.
 */
final class ClientAccount {
    private final PeerLimits limits;

    /** Octets that stay free of receives, so that the largest call can always be carried out. */
    private final long reserve;

    private final Statistics statistics;
    private final Runnable collector;
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private int connections;
    private int calls;
    private long bytes;

    /**
     * @param reserve octets that receives leave free
     * @param collector has completions collected that nobody was in a hurry for: some of them end
     *     calls. Called by any thread.
     */
    ClientAccount(PeerLimits limits, long reserve, Statistics statistics, Runnable collector) {
        this.limits = limits;
        this.reserve = reserve;
        this.statistics = statistics;
        this.collector = collector;
    }

    /**
     * Lets one more connection in, if that is within the limits.
     *
     * @param receiveBytes the octets of its posted receives
     */
    synchronized boolean admit(long receiveBytes) {
        if (connections >= limits.connectionsMax()
                || receiveBytes > limits.bytesMax() - reserve - bytes) {
            return false;
        }
        connections++;
        bytes += receiveBytes;
        return true;
    }

    /** A connection that was let in is gone. */
    void leave(long receiveBytes) {
        synchronized (this) {
            connections--;
        }
        giveBack(0, receiveBytes);
    }

    private void giveBack(int callsEnded, long given) {
        List<Runnable> resumed;
        synchronized (this) {
            calls -= callsEnded;
            bytes -= given;
            if (waiting.isEmpty()) {
                return;
            }
            resumed = List.copyOf(waiting);
            waiting.clear();
        }
        resumed.forEach(Runnable::run);
    }

    /** Whether nothing is held any more. */
    synchronized boolean isEmpty() {
        return connections == 0 && calls == 0 && bytes == 0;
    }

    /**
     * The share of one connection.
     *
     * @param resume called by any thread, with no lock of this account, when a call that had to
     *     wait may be tried again
     */
    Allowance share(Runnable resume) {
        return new Share(resume);
    }

    private final class Share implements Allowance {
        private final Runnable resume;
        private boolean closed;

        Share(Runnable resume) {
            this.resume = resume;
        }

        @Override
        public boolean take(long wanted) {
            synchronized (ClientAccount.this) {
                if (calls < limits.callsMax() && wanted <= limits.bytesMax() - bytes) {
                    calls++;
                    bytes += wanted;
                    return true;
                }
                if (!closed) {
                    waiting.add(resume);
                }
            }
            statistics.count(Counter.CALLS_DELAYED);
            collector.run();
            return false;
        }

        @Override
        public void hold(long held) {
            synchronized (ClientAccount.this) {
                bytes += held;
            }
        }

        @Override
        public void answered(long given) {
            giveBack(1, given);
        }

        @Override
        public void give(long given) {
            giveBack(0, given);
        }

        @Override
        public void close() {
            synchronized (ClientAccount.this) {
                closed = true;
                waiting.remove(resume);
            }
        }
    }
}
