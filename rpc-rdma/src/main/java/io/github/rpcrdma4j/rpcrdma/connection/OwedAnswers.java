package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import java.util.ArrayDeque;

/**
 * What answers a message and has no message of its own, an error or an operation. No more than a
 * few are on their way at once. Guarded by the lock of the connection.
 */
final class OwedAnswers {
    /** Answers that may be on their way at once. */
    private static final int OUT_MAX = 8;

    /** Answers that may wait for those; no peer has so many receives to be answered for. */
    private static final int WAITING_MAX = 1 << 15;

    private record Owed(Frame answer, Runnable leaves) {}

    private final Endpoint endpoint;
    private final FramedSends framed;
    private final ArrayDeque<Owed> waiting = new ArrayDeque<>();
    private int out;

    OwedAnswers(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.framed = new FramedSends(endpoint);
    }

    /** Whether no more may wait: the peer does not read what it asks for. */
    boolean isFull() {
        return waiting.size() == WAITING_MAX;
    }

    /**
     * Sends an answer, now or when others have left.
     *
     * @param leaves run right before it is sent
     */
    void add(Frame answer, Runnable leaves) {
        waiting.addLast(new Owed(answer, leaves));
        send();
    }

    private void send() {
        while (!waiting.isEmpty() && out < OUT_MAX) {
            out++;
            var next = waiting.removeFirst();
            next.leaves.run();
            if (out == OUT_MAX) {
                // The next one waits for the end of this one.
                endpoint.wakeAfterNext();
            }
            framed.post(
                    next.answer,
                    () -> {
                        out--;
                        send();
                    });
        }
    }

    /** The connection is gone. */
    void clear() {
        waiting.clear();
    }
}
