package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the server knows whether a client that closes its connection waits for a reply. */
class LeavingClientTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final CompletableFuture<ServedPeer> peer = new CompletableFuture<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private TcpRpcServer server;
    private TcpRpcClient client;

    /** Answers when it may, and does not let the thread go on behind the reply until it may end. */
    private final CallHandler handler =
            new CallHandler() {
                @Override
                public boolean runsOnReader(CallHeader call) {
                    return false;
                }

                @Override
                public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
                    return false;
                }

                @Override
                public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
                    return CallThreads.Kind.VIRTUAL;
                }

                @Override
                public boolean wrapsData(CallHeader call) {
                    return false;
                }

                @Override
                public boolean dispatch(
                        CallHeader header,
                        XdrReader call,
                        InetSocketAddress from,
                        SegmentPool pool,
                        Optional<ReverseDirection> reverse,
                        XdrWriter reply,
                        Runnable passed)
                        throws InterruptedException {
                    begun.countDown();
                    mayAnswer.await();
                    new ReplyHeader.Success(header.xid()).encode(reply);
                    reply.whenDone(() -> assertFalse(isInterruptedBefore(mayEnd)));
                    return true;
                }
            };

    private static boolean isInterruptedBefore(CountDownLatch open) {
        try {
            open.await();
            return false;
        } catch (InterruptedException _) {
            return true;
        }
    }

    @BeforeEach
    void serve() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        connected -> {
                            connected.whenEnded(ended::countDown);
                            peer.complete(connected);
                            return handler;
                        },
                        TcpRpcOptions.DEFAULT);
        client = TcpRpcClient.connect(server.address(), new Credential.None(), DEADLINE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        mayAnswer.countDown();
        mayEnd.countDown();
        client.close();
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    /** Waits until the server has read the end of the connection. */
    private void awaitEndOfStream() throws Exception {
        var back = peer.get().reverse();
        var none = CallProtection.of(new Credential.None());
        assertThrows(
                RpcException.ConnectionLost.class,
                () -> back.call(PatternProgram.fetch(1), none, DEADLINE));
    }

    @Test
    void aClientThatHasItsReplyHasLeftInOrderBeforeTheThreadOfTheCallGoesOn() throws Exception {
        mayAnswer.countDown();
        client.ping(PatternProgram.PROGRAM, 1, DEADLINE);
        client.close();
        awaitEndOfStream();
        assertTrue(peer.get().hasLeftInOrder());
    }

    @Test
    void aClientThatWaitsForItsReplyHasNotLeftInOrder() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.submit(
                    () -> {
                        client.ping(PatternProgram.PROGRAM, 1, DEADLINE);
                        return null;
                    });
            begun.await();
            client.close();
            awaitEndOfStream();
            assertFalse(peer.get().hasLeftInOrder());
            mayAnswer.countDown();
            mayEnd.countDown();
            ended.await();
            assertFalse(peer.get().hasLeftInOrder());
        }
    }
}
