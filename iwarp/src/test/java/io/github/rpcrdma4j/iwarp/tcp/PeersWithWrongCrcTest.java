package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests the reaction to the siw driver of Linux. When TCP cuts the end of a frame in two, the
 * driver takes a right CRC for a wrong one. Then it ends the connection with this Terminate, which
 * has swapped halves and no flags.
 */
@Timeout(60)
class PeersWithWrongCrcTest {
    private static final byte[] TERMINATE = {2, 2, 0, 0};
    private static final byte[] NOTHING = {};
    private static final InetSocketAddress LOOPBACK =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String WITH_CRC = "5002000400040004";
    private static final String WITHOUT = "1002000400040004";

    private final IwarpProvider provider = new IwarpProvider();

    /** Sets up a connection, which then runs until the peer ends it. */
    private interface Setup {
        void with(QueuePair queuePair) throws Exception;
    }

    private String failureOf(Setup setup) throws Exception {
        try (var domain = provider.allocateProtectionDomain();
                var queue = provider.createCompletionQueue()) {
            var queuePair =
                    provider.createQueuePair(new QueuePairOptions(domain, queue, 4, 4, 4, 4, 1));
            setup.with(queuePair);
            var completed = new ArrayList<Completion>();
            while (queuePair.state() == QueuePair.State.READY) {
                queue.poll(completed, TURN_NANOS);
            }
            queuePair.close();
            return queuePair.failure().orElse("");
        }
    }

    /**
     * Connects once to a server.
     *
     * @return the request that the server received, in hexadecimal
     */
    private String connect(ServerSocket server, String reply, byte[] last) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var request =
                    threads.submit(
                            () -> {
                                try (var peer = new RawPeer(server.accept())) {
                                    var received = peer.receiveSetUp();
                                    peer.send(RawPeer.setUp("Rep", reply));
                                    peer.send(last);
                                    peer.finish();
                                    assertTrue(peer.isAtEnd());
                                    return received;
                                }
                            });
            failureOf(
                    queuePair ->
                            queuePair.connect(
                                    (InetSocketAddress) server.getLocalSocketAddress(),
                                    NOTHING,
                                    LONG));
            return request.get();
        }
    }

    private static byte[] terminate() {
        return new Frames(true).terminate(TERMINATE).bytes();
    }

    @Test
    void asksAServerForCrcsUntilItReportsAWrongOne() throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertEquals(WITH_CRC, connect(server, WITH_CRC, NOTHING));
            assertEquals(WITH_CRC, connect(server, WITH_CRC, terminate()));
            assertEquals(WITHOUT, connect(server, WITHOUT, NOTHING));
            // A peer that demands CRCs still gets them.
            assertEquals(WITHOUT, connect(server, WITH_CRC, terminate()));
        }
    }

    @Test
    void reportsWhyTheServerEndedTheConnection() throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.submit(
                    () -> {
                        try (var peer = new RawPeer(server.accept())) {
                            peer.receiveSetUp();
                            peer.send(RawPeer.setUp("Rep", WITH_CRC));
                            peer.send(terminate());
                            return peer.isAtEnd();
                        }
                    });
            assertEquals(
                    "the peer ended the connection and says of this side: a CRC did not match",
                    failureOf(
                            queuePair ->
                                    queuePair.connect(
                                            (InetSocketAddress) server.getLocalSocketAddress(),
                                            NOTHING,
                                            LONG)));
        }
    }

    /**
     * Accepts one connection of a client.
     *
     * @return the reply that the client received, in hexadecimal
     */
    private String accept(String request, byte[] last) throws Exception {
        try (var listener = provider.listen(LOOPBACK)) {
            return accept(listener, request, last);
        }
    }

    /** Accepts one connection of a user of this machine. */
    private String acceptOf(int user, String request, byte[] last) throws Exception {
        try (var listener = provider.listen(LOOPBACK, (_, _) -> user)) {
            return accept(listener, request, last);
        }
    }

    private String accept(Listener listener, String request, byte[] last) throws Exception {
        var answered = new String[1];
        try (var peer = RawPeer.connect(listener.address())) {
            peer.send(RawPeer.setUp("Req", request));
            failureOf(
                    queuePair -> {
                        listener.accept(LONG).orElseThrow().accept(queuePair, NOTHING);
                        answered[0] = peer.receiveSetUp();
                        peer.send(last);
                        peer.finish();
                    });
        }
        return answered[0];
    }

    @Test
    void demandsCrcsOfAClientUntilItReportsAWrongOne() throws Exception {
        assertEquals(WITH_CRC, accept(WITHOUT, NOTHING));
        assertEquals(WITH_CRC, accept(WITHOUT, terminate()));
        assertEquals(WITHOUT, accept(WITHOUT, NOTHING));
        assertEquals(WITH_CRC, accept(WITH_CRC, NOTHING));
    }

    @Test
    void demandsCrcsOfTheOtherUsersOfAnAddress() throws Exception {
        assertEquals(WITH_CRC, acceptOf(1001, WITHOUT, terminate()));
        assertEquals(WITHOUT, acceptOf(1001, WITHOUT, NOTHING));
        assertEquals(WITH_CRC, acceptOf(0, WITHOUT, NOTHING));
        assertEquals(WITH_CRC, accept(WITHOUT, NOTHING));
    }

    @Test
    void forgetsTheOldestOfTooMany() throws Exception {
        var peers = new PeersWithWrongCrc();
        for (int i = 0; i <= PeersWithWrongCrc.PEERS_MAX; i++) {
            peers.add(peer(i));
            peers.add(peer(i));
        }
        assertFalse(peers.contains(peer(0)));
        assertTrue(peers.contains(peer(1)));
        assertTrue(peers.contains(peer(PeersWithWrongCrc.PEERS_MAX)));
    }

    private static PeersWithWrongCrc.Peer peer(int number) throws Exception {
        byte[] address = {10, 0, (byte) (number >> Byte.SIZE), (byte) number};
        return new PeersWithWrongCrc.Peer(InetAddress.getByAddress(address), Optional.empty());
    }
}
