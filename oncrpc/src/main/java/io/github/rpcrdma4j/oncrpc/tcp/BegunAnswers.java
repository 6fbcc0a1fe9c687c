package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The begun calls of a connection of a server, for which no thread waits, and their answers.
 * Thread-safe.
 */
final class BegunAnswers {
    /** The longest call that begins, in bytes. Two threads move much data faster. */
    private static final long CALL_BYTES = 4 << 10;

    private final ServedStream stream;
    private final ServedCalls calls;
    private final StreamService service;
    private final ServedWrites writes;

    BegunAnswers(
            ServedStream stream, ServedCalls calls, StreamService service, ServedWrites writes) {
        this.stream = stream;
        this.calls = calls;
        this.service = service;
        this.writes = writes;
    }

    /**
     * Begins a counted call, if its handler can begin it without a wait. If this throws, the call
     * has not ended.
     *
     * @param peer the address of the client
     */
    boolean begin(CallTurns.Arrived call, CallHandler handler, InetSocketAddress peer) {
        if (!writes.mayBegin()
                || call.message().message().byteSize() > CALL_BYTES
                || !handler.mayBegin(call.header())
                || !service.memory().hasRoom(service.options().recordMax())) {
            return false;
        }
        var results = new XdrWriter(service.pool());
        var isOver = new AtomicBoolean();
        boolean isBegun;
        // There are more permits than calls.
        service.begun().acquireUninterruptibly();
        try {
            isBegun =
                    handler.begin(
                            call.header(),
                            call.arguments(),
                            peer,
                            service.pool(),
                            results,
                            isAnswered -> {
                                if (!isOver.getAndSet(true)) {
                                    completed(call, results, isAnswered);
                                }
                            });
        } catch (RuntimeException | Error broken) {
            if (!isOver.getAndSet(true)) {
                drop(results);
                throw broken;
            }
            // The call has its end already.
            stream.failed(broken);
            stream.close();
            return true;
        }
        if (isBegun) {
            service.counters().calls.increment();
        } else {
            drop(results);
        }
        return isBegun;
    }

    private void drop(XdrWriter results) {
        results.close();
        service.begun().release();
    }

    /** Answers a call. This thread may serve another connection, so it does not wait. */
    private void completed(CallTurns.Arrived call, XdrWriter results, boolean isAnswered) {
        boolean isLeft = false;
        try {
            isLeft = isAnswered && !stream.isClosed() && !answerNow(call, results);
        } catch (IOException _) {
            // A connection that cannot carry its replies is closed.
            stream.close();
        } catch (RuntimeException | Error broken) {
            stream.failed(broken);
            stream.close();
        } finally {
            if (!isLeft) {
                end(call, results);
            }
        }
    }

    /** Writes a reply. Returns false if it leaves the rest to another thread. */
    private boolean answerNow(CallTurns.Arrived call, XdrWriter results) throws IOException {
        var message = writes.new Message(results, () -> stream.answered(call));
        if (message.begin()) {
            service.counters().replies.increment();
            return true;
        }
        boolean isLeft = false;
        try {
            service.threads().execute(() -> answerRest(call, results, message));
            isLeft = true;
        } catch (RejectedExecutionException _) {
            // The server is closing.
            stream.close();
        } finally {
            if (!isLeft) {
                message.abandon();
            }
        }
        return !isLeft;
    }

    private void answerRest(
            CallTurns.Arrived call, XdrWriter results, ServedWrites.Message message) {
        try {
            message.finish();
            service.counters().replies.increment();
        } catch (IOException _) {
            // A connection that cannot carry its replies is closed.
            stream.close();
        } finally {
            end(call, results);
        }
    }

    private void end(CallTurns.Arrived call, XdrWriter results) {
        try {
            results.close();
            calls.ended(call);
        } finally {
            service.begun().release();
        }
    }
}
