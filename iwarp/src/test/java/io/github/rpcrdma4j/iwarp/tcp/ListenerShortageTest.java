package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.ConnectRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a listener continues after a failed accept. Method: a fake of the accepting call. */
class ListenerShortageTest {
    private static final Duration TURN = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final String PLAIN = "1002000400040004";

    /** Throws a fault instead of accepting, if one is set. */
    private static final class Faulty implements IwarpListener.Accept {
        final AtomicInteger calls = new AtomicInteger();
        Optional<Throwable> fault = Optional.empty();

        @Override
        public SocketChannel from(ServerSocketChannel server) throws IOException {
            calls.incrementAndGet();
            if (fault.isEmpty()) {
                return server.accept();
            }
            switch (fault.get()) {
                case IOException failure -> throw failure;
                case Error error -> throw error;
                default -> throw new AssertionError("no such fault");
            }
        }
    }

    private final Faulty accept = new Faulty();
    private IwarpListener listener;

    @BeforeEach
    void listen() throws Exception {
        listener =
                IwarpListener.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        IwarpOptions.DEFAULT,
                        accept);
    }

    @AfterEach
    void close() {
        listener.close();
    }

    private Optional<ConnectRequest> acceptOne(Duration timeout) throws Exception {
        return listener.accept(timeout);
    }

    private RawPeer peer() throws Exception {
        var peer = RawPeer.connect(listener.address());
        peer.send(RawPeer.setUp("Req", PLAIN));
        return peer;
    }

    @Test
    void acceptsAgainWhenDescriptorsAreFreeAndDoesNotSpinMeanwhile() throws Exception {
        accept.fault = Optional.of(new IOException("Too many open files"));
        try (var _ = peer()) {
            for (int i = 0; i < 6; i++) {
                assertTrue(acceptOne(TURN).isEmpty());
            }
            assertTrue(listener.shortages() >= 1);
            assertTrue(accept.calls.get() <= 10, "called " + accept.calls.get() + " times");
            accept.fault = Optional.empty();
            assertTrue(acceptOne(LONG).isPresent());
        }
    }

    @Test
    void anErrorEndsOnlyOneTurn() throws Exception {
        accept.fault = Optional.of(new OutOfMemoryError("injected"));
        try (var _ = peer()) {
            assertThrows(OutOfMemoryError.class, () -> acceptOne(LONG));
            assertThrows(OutOfMemoryError.class, () -> acceptOne(LONG));
            accept.fault = Optional.empty();
            assertFalse(acceptOne(LONG).isEmpty());
            assertEquals(0, listener.turnedAway());
        }
    }
}
