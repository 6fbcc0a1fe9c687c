package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests a listener and its queue pairs against old, unusual, defective and hostile clients. */
class HostileClientTest {
    private static final String PLAIN = "1002000400800000";
    private static final byte[] NOTHING = {};
    private static final byte[] FOUR = new byte[4];
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<Completion> completed = new ArrayList<>();
    private IwarpProvider provider;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private QueuePair queuePair;
    private MemorySegment buffer;
    private Listener listener;

    @BeforeEach
    void listen() throws Exception {
        provider =
                new IwarpProvider(
                        IwarpOptions.DEFAULT
                                .withCrc(false)
                                .withSetupTimeout(Duration.ofMillis(200)));
        domain = provider.allocateProtectionDomain();
        queue = provider.createCompletionQueue();
        queuePair = provider.createQueuePair(new QueuePairOptions(domain, queue, 16, 16, 4, 4, 1));
        for (int i = 0; i < 4; i++) {
            buffer = Arena.ofAuto().allocate(100);
            queuePair.postReceive(i, domain.register(buffer), 0, 100);
        }
        listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() {
        queuePair.close();
        domain.close();
        queue.close();
        listener.close();
    }

    private RawPeer client() throws Exception {
        return RawPeer.connect(listener.address());
    }

    /** Sets up a connection with this request. */
    private RawPeer connected(String request) throws Exception {
        var peer = client();
        peer.send(RawPeer.setUp("Req", request));
        listener.accept(LONG).orElseThrow().accept(queuePair, NOTHING);
        return peer;
    }

    private void await(BooleanSupplier wanted) throws Exception {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean()) {
            queue.poll(completed, TURN_NANOS);
            assertTrue(System.nanoTime() - start < PATIENCE_NANOS, () -> "seen: " + completed);
        }
    }

    private void awaitLoss() throws Exception {
        await(() -> queuePair.state() == QueuePair.State.ERROR);
        queue.poll(completed, 0);
    }

    private void send(long id, byte[] bytes) {
        var memory = Arena.ofAuto().allocate(bytes.length);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        var element = Sge.of(domain.register(memory));
        queuePair.post(List.of(new WorkRequest.Send(id, List.of(element))));
    }

    /** Sets up with a request, expects a reply, and then exchanges a Send in each direction. */
    private void peerToPeer(String request, String reply, Frames frames) throws Exception {
        try (var peer = connected(request)) {
            assertEquals(reply, peer.receiveSetUp());
            send(1, new byte[8]);
            peer.send(frames.send(Frames.pattern(5, 5)).bytes());
            await(() -> completed.size() == 2);
            var received = completed.stream().filter(each -> each.length() == 5).findFirst();
            assertEquals(0, received.orElseThrow().workRequestId());
            var frame = peer.receive();
            while (frame.header() instanceof DdpSegment.Tagged) {
                frame = peer.receive();
            }
            assertArrayEquals(new byte[8], frame.payload());
        }
        awaitLoss();
        assertTrue(queuePair.failure().isEmpty());
    }

    @Test
    @Tag("6581-9.2-2")
    void takesAnEmptyWriteAsTheFirstFrame() throws Exception {
        peerToPeer(
                "1002000480108010",
                "1002000480048004",
                new Frames(false).write(1, 0, true, NOTHING));
    }

    @Test
    @Tag("6581-9.2-2")
    void takesAnEmptyReadAsTheFirstFrame() throws Exception {
        peerToPeer(
                "1002000480104010",
                "1002000480044004",
                new Frames(false).readRequest(new ReadRequest(0, 0, 0, 1, 0)));
    }

    @Test
    @Tag("6581-9.2-2")
    void takesAnEmptySendAsTheFirstFrame() throws Exception {
        peerToPeer("10020004c0100010", "10020004c0040004", new Frames(false).send(NOTHING));
    }

    @Test
    @Tag("6581-10-1")
    @Tag("6581-6-2")
    void servesAPeerOfRevisionOne() throws Exception {
        peerToPeer("00010000", "00010000", new Frames(false));
    }

    @Test
    void sendsCrcsToAPeerThatAsks() throws Exception {
        peerToPeer("5002000400800000", "5002000400040004", new Frames(true));
    }

    @Test
    @Tag("5044-7.1.2-4")
    void holdsItsFirstFrameUntilThePeerHasSentOne() throws Exception {
        try (var peer = connected(PLAIN)) {
            peer.receiveSetUp();
            send(1, new byte[8]);
            for (int i = 0; i < 20; i++) {
                assertEquals(0, queue.poll(completed, TURN_NANOS));
            }
            peer.send(new Frames(false).write(0, 0, true, NOTHING).bytes());
            await(() -> completed.size() == 1);
            assertEquals(0x4143, peer.receive().header().control());
        }
    }

    @Test
    @Tag("5044-7.1.2-7")
    void takesFramesThatCameWithTheRequest() throws Exception {
        try (var peer = client()) {
            byte[] request = RawPeer.setUp("Req", PLAIN);
            byte[] frames = new Frames(false).send(Frames.pattern(9, 9)).bytes();
            byte[] both = Arrays.copyOf(request, request.length + frames.length);
            System.arraycopy(frames, 0, both, request.length, frames.length);
            peer.send(both);
            listener.accept(LONG).orElseThrow().accept(queuePair, NOTHING);
            await(() -> completed.size() == 1);
            assertEquals(9, completed.getFirst().length());
        }
    }

    @Test
    @Tag("5044-7.1.1-1")
    @Tag("5044-7.1.1-6")
    @Tag("5044-7.1.2-3")
    @Tag("5044-7.1.2-6")
    @Tag("5044-7.1.2-8")
    void returnsNoInvalidRequest() throws Exception {
        var strangers = new ArrayList<RawPeer>();
        for (byte[] greeting :
                List.of(
                        "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                        "SSH-2.0-x\r\n".getBytes(StandardCharsets.US_ASCII),
                        new byte[100_000],
                        RawPeer.setUp("Rep", PLAIN),
                        RawPeer.setUp("Req", "1003000400800000"),
                        RawPeer.setUp("Req", "10020201"),
                        RawPeer.setUp("Req", "1002000200"),
                        NOTHING)) {
            var stranger = client();
            stranger.send(greeting);
            if (greeting.length == 0) {
                stranger.finish();
            }
            strangers.add(stranger);
        }
        var silent = client();
        var slow = client();
        slow.send(Arrays.copyOf(RawPeer.setUp("Req", PLAIN), 19));
        assertTrue(listener.accept(Duration.ofMillis(400)).isEmpty());
        for (var stranger : strangers) {
            assertTrue(stranger.isAtEnd());
            stranger.close();
        }
        assertTrue(silent.isAtEnd());
        assertTrue(slow.isAtEnd());
        assertEquals(strangers.size() + 2, listener.turnedAway());
        silent.close();
        slow.close();
    }

    @Test
    void refusesAPeerThatDemandsMarkers() throws Exception {
        try (var peer = client()) {
            peer.send(RawPeer.setUp("Req", "9002000400800000"));
            assertTrue(listener.accept(Duration.ofMillis(100)).isEmpty());
            assertEquals("3002000400000000", peer.receiveSetUp());
            assertTrue(peer.isAtEnd());
        }
    }

    /** Goal: one address cannot exclude other clients with silent connections. */
    @Test
    void keepsFewHalfOpenConnectionsOfOneClient() throws Exception {
        listener.close();
        var options = IwarpOptions.DEFAULT.withHalfOpen(100, 3);
        listener =
                new IwarpProvider(options)
                        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var silent = new ArrayList<RawPeer>();
        for (int i = 0; i < 3; i++) {
            silent.add(client());
        }
        assertTrue(listener.accept(Duration.ofMillis(50)).isEmpty());
        // The oldest connection makes room: it had more time than the newest.
        try (var peer = connected(PLAIN)) {
            assertEquals("1002000400040004", peer.receiveSetUp());
        }
        assertEquals(1, listener.turnedAway());
        assertTrue(silent.removeFirst().isAtEnd());
        for (var each : silent) {
            each.close();
        }
    }

    @Test
    void aSilentPeerDelaysNoOther() throws Exception {
        try (var silent = client();
                var peer = connected(PLAIN)) {
            assertEquals("1002000400040004", peer.receiveSetUp());
            silent.finish();
        }
    }

    @Test
    void answersOnceAndDropsUnansweredRequests() throws Exception {
        try (var peer = client();
                var other = client()) {
            peer.send(RawPeer.setUp("Req", PLAIN));
            var request = listener.accept(LONG).orElseThrow();
            assertThrows(IllegalArgumentException.class, () -> request.reject(new byte[509]));
            request.reject(new byte[] {1, 2});
            assertEquals("30020006000000000102", peer.receiveSetUp());
            assertTrue(peer.isAtEnd());
            assertThrows(IllegalStateException.class, () -> request.accept(queuePair, NOTHING));
            other.send(Arrays.copyOf(RawPeer.setUp("Req", PLAIN), 10));
            assertTrue(listener.accept(Duration.ofMillis(20)).isEmpty());
            listener.close();
            assertTrue(other.isAtEnd());
            assertThrows(RdmaException.ConnectionLost.class, () -> listener.accept(Duration.ZERO));
        }
    }

    /** Sends a frame that violates a rule, and expects the Terminate of this side. */
    private void terminates(String why, byte[] frames, int... bytes) throws Exception {
        try (var peer = connected(PLAIN)) {
            peer.receiveSetUp();
            peer.send(frames);
            awaitLoss();
            var terminate = assertInstanceOf(DdpSegment.Untagged.class, receive(peer, bytes));
            assertEquals(0x4147, terminate.control());
            assertEquals(2, terminate.queue());
            assertEquals(1, terminate.sequence());
            assertTrue(peer.isAtEnd());
        }
        assertEquals("the peer broke the protocol: " + why, queuePair.failure().orElseThrow());
        assertEquals(4, completed.size());
        assertEquals(0, completed.stream().filter(each -> each.succeeded()).count());
    }

    private static DdpSegment receive(RawPeer peer, int[] bytes) throws Exception {
        var frame = peer.receive();
        assertEquals(bytes[0], frame.payload()[0]);
        assertEquals(bytes[1], frame.payload()[1]);
        return frame.header();
    }

    @Test
    @Tag("5040-7.1-2")
    @Tag("5040-5.4-1")
    @Tag("5041-6.2-1")
    void terminatesAPeerThatWroteToAnUnknownHandle() throws Exception {
        terminates(
                "it wrote with an invalid handle",
                new Frames(false).write(4711, 0, true, new byte[4]).bytes(),
                0x11,
                0);
    }

    @Test
    @Tag("5040-7.1-3")
    @Tag("5041-7.1-12")
    void reportsTheFirstOfTwoFaults() throws Exception {
        terminates(
                "it wrote with an invalid handle",
                new Frames(false).write(4711, 0, true, FOUR).send(new byte[101]).bytes(),
                0x11,
                0);
        assertTrue(completed.stream().noneMatch(Completion::succeeded));
    }

    @Test
    @Tag("5040-7.1-1")
    void terminatesAPeerThatSentTooMuch() throws Exception {
        terminates(
                "it sent a message longer than the receive posted for it",
                new Frames(false).send(new byte[101]).bytes(),
                0x12,
                5);
    }

    @Test
    @Tag("5040-5.2.1-6")
    void terminatesAPeerThatReadTooMuchAtOnce() throws Exception {
        try (var peer = connected(PLAIN)) {
            peer.receiveSetUp();
            var window = offer();
            var frames = new Frames(false);
            for (int i = 0; i < 5; i++) {
                frames.readRequest(
                        new ReadRequest(1, 1, 64 << 20, window.handle(), window.address()));
            }
            peer.send(frames.bytes());
            awaitLoss();
        }
        assertEquals(
                "the peer broke the protocol: it made more RDMA Reads than were agreed on",
                queuePair.failure().orElseThrow());
    }

    /**
     * The Terminate has the layout of the Linux driver: the halves of the first byte are swapped.
     */
    @Test
    @Tag("5040-5.4-2")
    @Tag("5040-5.4-3")
    void understandsTheTerminateOfLinux() throws Exception {
        var sink = Sge.of(domain.register(Arena.ofAuto().allocate(10)));
        try (var peer = connected(PLAIN)) {
            peer.receiveSetUp();
            peer.send(new Frames(false).write(0, 0, true, NOTHING).bytes());
            queuePair.post(List.of(new WorkRequest.Read(7, sink, 1, 2)));
            // The Read is held until the peer's first frame has been read.
            for (int i = 0; i < 20; i++) {
                queue.poll(completed, TURN_NANOS);
            }
            assertEquals(0x4141, peer.receive().header().control());
            peer.send(new Frames(false).terminate(new byte[] {0x10, 1, 7, 0}).bytes());
            awaitLoss();
            assertTrue(peer.isAtEnd());
        }
        var read = completed.stream().filter(each -> each.workRequestId() == 7).findFirst();
        assertEquals(Completion.Status.REMOTE_ACCESS_ERROR, read.orElseThrow().status());
        assertEquals(
                "the peer ended the connection and says of this side: it read outside of a region",
                queuePair.failure().orElseThrow());
    }

    @Test
    void endsWhenThePeerIsKilledInTheMiddleOfAFrame() throws Exception {
        byte[] frame = new Frames(false).send(new byte[100]).bytes();
        var peer = connected(PLAIN);
        peer.receiveSetUp();
        peer.send(Arrays.copyOf(frame, frame.length - 9));
        for (int i = 0; i < 5; i++) {
            queue.poll(completed, TURN_NANOS);
        }
        peer.kill();
        awaitLoss();
        assertTrue(queuePair.failure().orElseThrow().startsWith("the connection was lost"));
        assertEquals(4, completed.size());
        assertTrue(completed.stream().allMatch(each -> each.status() == Completion.Status.FLUSHED));
    }

    @Test
    void endsWhenThePeerStopsInTheMiddleOfAFrame() throws Exception {
        byte[] frame = new Frames(false).send(new byte[100]).bytes();
        try (var peer = connected(PLAIN)) {
            peer.receiveSetUp();
            peer.send(Arrays.copyOf(frame, 50));
            peer.finish();
            awaitLoss();
        }
        assertEquals(
                "the peer closed the connection in mid-message", queuePair.failure().orElseThrow());
        assertEquals(4, completed.size());
    }

    /** Goal: a peer that requests many bytes and reads none delays a close only by its grace. */
    @Test
    void closesAConnectionToAPeerThatReadsNothing() throws Exception {
        try (var peer = connected(PLAIN)) {
            peer.receiveSetUp();
            var window = offer();
            peer.send(
                    new Frames(false)
                            .readRequest(
                                    new ReadRequest(
                                            1, 1, 64 << 20, window.handle(), window.address()))
                            .bytes());
            for (int i = 0; i < 20; i++) {
                queue.poll(completed, TURN_NANOS);
            }
            long start = System.nanoTime();
            queuePair.close();
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(3));
        }
    }

    /** Binds a window over 64 MiB that the peer may read. */
    private MemoryWindow offer() {
        var region = domain.register(Arena.ofAuto().allocate(64 << 20));
        return queuePair.bind(region, 0, 64 << 20, Set.of(Access.REMOTE_READ));
    }

    /**
     * Goal: the queue pair reports the invalidated window, because only the user of the window can
     * know whose fault the loss is.
     */
    @Test
    void reportsTheWindowThatWasInvalidatedDuringARead() throws Exception {
        MemoryWindow window;
        try (var peer = connected(PLAIN)) {
            peer.receiveSetUp();
            window = offer();
            var request = new ReadRequest(1, 1, 64 << 20, window.handle(), window.address());
            peer.send(new Frames(false).readRequest(request).bytes());
            for (int i = 0; i < 20; i++) {
                queue.poll(completed, TURN_NANOS);
            }
            window.invalidate();
            while (queuePair.state() != QueuePair.State.ERROR) {
                peer.receive();
                queue.poll(completed, TURN_NANOS);
            }
        }
        assertEquals(
                "the connection was lost: a region was invalidated while the peer read from it",
                queuePair.failure().orElseThrow());
        assertEquals(
                new UnknownHandle(UnknownHandle.Use.READ, window.handle()),
                queuePair.unknownHandle().orElseThrow());
    }
}
