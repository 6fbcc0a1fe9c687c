package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * The calls that a server makes on the connection of its client, to programs of the client. Each
 * call runs on a thread of its own. Thread-safe.
 */
final class CallBacks implements AutoCloseable {
    /** The most calls of a server that are in progress at a time. */
    static final int CALLS_MAX = 64;

    /** The longest call message of a server, in bytes. */
    static final long CALL_BYTES_MAX = (1 << 20) + (64 << 10);

    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(30);

    /**
     * The programs that a client serves.
     *
     * @param handler runs them
     * @param server the address of the server, which calls them
     * @param whenEnded runs once when the connection has ended; it must not wait
     */
    record Service(CallHandler handler, InetSocketAddress server, Runnable whenEnded) {}

    private final FailureLog failures = new FailureLog(System.getLogger(CallBacks.class.getName()));
    private final ClientStream stream;
    private final Service service;
    private final CallThreads threads = CallThreads.create("rpc-tcp-callback-", failures);
    private final Semaphore permits = new Semaphore(CALLS_MAX);

    CallBacks(ClientStream stream, Service service) {
        this.stream = stream;
        this.service = service;
    }

    /**
     * Runs a call of the server and sends its reply. The thread that reads the connection does not
     * wait: replies to the client's own calls may follow. So a server that exceeds the limits loses
     * its connection.
     *
     * @param received the call message
     * @param arguments positioned after the header
     * @return whether the call runs; its end releases the message
     */
    boolean run(CallHeader header, ReceivedRecord received, XdrReader arguments) {
        if (received.message().byteSize() > CALL_BYTES_MAX) {
            stream.lose("the server sent a call of more than " + CALL_BYTES_MAX + " bytes");
            return false;
        }
        if (!permits.tryAcquire()) {
            stream.lose("the server made more than " + CALLS_MAX + " calls at a time");
            return false;
        }
        boolean isStarted = false;
        try {
            var kind = service.handler().kind(header, true);
            threads.execute(this, () -> answerAndRelease(header, received, arguments), kind);
            isStarted = true;
        } catch (RejectedExecutionException _) {
            // The connection is lost, so no reply is due.
        } finally {
            if (!isStarted) {
                permits.release();
            }
        }
        return isStarted;
    }

    private void answerAndRelease(CallHeader header, ReceivedRecord received, XdrReader arguments) {
        try {
            answer(header, arguments);
        } catch (InterruptedException _) {
            stream.lose("a call of the server was interrupted");
        } catch (RpcException _) {
            // The connection is lost, or the server does not read: send has ended the connection.
        } catch (RuntimeException | Error broken) {
            failures.report("a TCP connection was closed by an internal error", broken);
            stream.lose("internal error: " + broken);
        } finally {
            received.close();
            permits.release();
        }
    }

    private void answer(CallHeader header, XdrReader arguments)
            throws RpcException, InterruptedException {
        try (var reply = new XdrWriter(stream.pool())) {
            if (service.handler()
                    .dispatch(
                            header,
                            arguments,
                            service.server(),
                            stream.pool(),
                            Optional.empty(),
                            reply)) {
                stream.send(reply, CallDeadline.of(SEND_TIMEOUT, System.nanoTime()));
            }
        }
    }

    /** Interrupts the programs and rejects further calls, because the connection has ended. */
    void stop() {
        threads.stop();
        service.whenEnded().run();
    }

    /** Waits until the programs have ended. */
    @Override
    public void close() {
        threads.close();
    }
}
