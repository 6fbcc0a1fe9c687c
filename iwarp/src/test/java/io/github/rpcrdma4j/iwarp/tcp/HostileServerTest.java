package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests connecting to old, unusual, defective and hostile servers, and to servers of other
 * protocols.
 */
class HostileServerTest {
    private static final String PLAIN = "1002000400100010";
    private static final byte[] NOTHING = {};
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Completion> completed = new ArrayList<>();
    private final IwarpProvider provider = new IwarpProvider(IwarpOptions.DEFAULT.withCrc(false));
    private final ProtectionDomain domain = provider.allocateProtectionDomain();
    private final CompletionQueue queue = provider.createCompletionQueue();
    private final QueuePair queuePair =
            provider.createQueuePair(new QueuePairOptions(domain, queue, 16, 16, 4, 4, 1));
    private ServerSocket server;

    @BeforeEach
    void listen() throws Exception {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws Exception {
        queuePair.close();
        domain.close();
        queue.close();
        server.close();
        threads.close();
    }

    private interface Talk {
        void with(RawPeer peer) throws Exception;
    }

    /** Serves the next client. */
    private void serve(Talk talk) {
        threads.submit(
                () -> {
                    try (var peer = new RawPeer(server.accept())) {
                        talk.with(peer);
                    }
                    return null;
                });
    }

    private byte[] connect(Duration timeout) throws Exception {
        var address = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
        return queuePair.connect(address, NOTHING, timeout);
    }

    private void violates(String why, Talk talk) {
        serve(talk);
        var violation = assertThrows(RdmaException.ProtocolViolation.class, () -> connect(LONG));
        assertTrue(violation.getMessage().endsWith(why), violation.getMessage());
        assertEquals(QueuePair.State.INITIALIZED, queuePair.state());
    }

    private static Talk sending(byte[] bytes) {
        return peer -> {
            peer.receiveSetUp();
            peer.send(bytes);
            peer.isAtEnd();
        };
    }

    @Test
    @Tag("5044-7.1.1-1")
    void recognizesAServerThatIsNotIwarp() {
        for (var greeting : List.of("SSH-2.0-OpenSSH\r\n", "HTTP/1.1 400 Bad Request\r\n", "\0")) {
            violates(
                    "does not speak iWARP: it does not start with an MPA key",
                    sending(greeting.getBytes(StandardCharsets.US_ASCII)));
        }
        violates(
                "does not speak iWARP: it does not start with an MPA key",
                peer -> {
                    byte[] zeros = new byte[1 << 16];
                    while (true) {
                        peer.send(zeros);
                    }
                });
    }

    @Test
    void recognizesAServerThatClosesAtOnce() {
        var words = "it does not speak iWARP, or refuses this client";
        violates(words, RawPeer::close);
        violates(
                words,
                peer -> {
                    peer.receiveSetUp();
                    peer.send("MPA ID Rep".getBytes(StandardCharsets.US_ASCII));
                });
        violates(
                words,
                peer -> {
                    peer.receiveSetUp();
                    peer.kill();
                });
    }

    @Test
    @Tag("5044-8-1")
    @Tag("5044-7.1.1-6")
    @Tag("5044-7.1.2-8")
    void refusesRepliesThatBreakTheRules() {
        violates("it demands markers, which are not offered", sending(reply("9002000400000000")));
        violates("it answered with MPA revision 3", sending(reply("1003000400000000")));
        violates("it sent an MPA request instead of a reply", sending(RawPeer.setUp("Req", PLAIN)));
        violates("its private data is longer than 512 bytes", sending(reply("1002ffff")));
        violates("its enhanced data is missing", sending(reply("1002000100")));
    }

    private static byte[] reply(String hex) {
        return RawPeer.setUp("Rep", hex);
    }

    @Test
    @Tag("5044-7.1.2-6")
    void givesUpOnASilentServerInTime() {
        serve(sending(NOTHING));
        var late = assertThrows(RdmaException.TimedOut.class, () -> connect(SHORT));
        var time = " within the setup timeout of " + SHORT.toMillis() + " ms";
        assertTrue(late.getMessage().endsWith(time), late::getMessage);
        serve(sending(Arrays.copyOf(reply(PLAIN), 21)));
        assertThrows(RdmaException.TimedOut.class, () -> connect(SHORT));
    }

    @Test
    @Tag("5044-7.1.2-5")
    void reportsWhyItWasRejected() {
        serve(sending(reply("30020006000000000907")));
        var rejected = assertThrows(RdmaException.Rejected.class, () -> connect(LONG));
        assertArrayEquals(new byte[] {9, 7}, rejected.privateData());
    }

    @Test
    @Tag("5044-7.1.2-1")
    @Tag("5044-7.1.1-3")
    @Tag("5044-4.3-2")
    void asksForItsDepthsWithoutCrcOrPeerToPeer() throws Exception {
        var requests = new ArrayList<String>();
        serve(
                peer -> {
                    requests.add(peer.receiveSetUp());
                    peer.send(reply(PLAIN));
                    peer.isAtEnd();
                });
        assertArrayEquals(NOTHING, connect(LONG));
        assertEquals(List.of("1002000400040004"), requests);
    }

    @Test
    @Tag("5044-7.1.2-7")
    void takesFramesThatCameWithTheReply() throws Exception {
        queuePair.postReceive(1, sink(10).region(), 0, 10);
        byte[] frames = new Frames(true).send(Frames.pattern(9, 9)).bytes();
        var both =
                HexFormat.of().formatHex(reply("5002000400100010"))
                        + HexFormat.of().formatHex(frames);
        serve(sending(HexFormat.of().parseHex(both)));
        connect(LONG);
        await(() -> completed.size() == 1);
        assertEquals(9, completed.getFirst().length());
    }

    private void await(BooleanSupplier wanted) throws Exception {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean()) {
            queue.poll(completed, TURN_NANOS);
            assertTrue(System.nanoTime() - start < PATIENCE_NANOS, () -> "seen: " + completed);
        }
    }

    /** The Linux driver may not process the first frame before more bytes arrive. */
    @Test
    void sendsAnEmptyWriteToAServerThatDoesNotAnswerTheFirstFrame() throws Exception {
        queuePair.postReceive(1, sink(10).region(), 0, 10);
        serve(
                peer -> {
                    peer.receiveSetUp();
                    peer.send(reply(PLAIN));
                    assertEquals(0x4143, peer.receive().header().control());
                    assertEquals(new DdpSegment.Tagged(0xc140, 1, 0), peer.receive().header());
                    assertEquals(new DdpSegment.Tagged(0xc140, 1, 0), peer.receive().header());
                    peer.send(new Frames(false).send(new byte[6]).bytes());
                    // The peer has answered, so no more empty Writes follow.
                    assertTrue(peer.isAtEnd());
                });
        connect(LONG);
        queuePair.post(List.of(new WorkRequest.Send(1, List.of())));
        await(() -> completed.size() == 2);
        assertEquals(6, completed.getLast().length());
        for (int i = 0; i < 100; i++) {
            queue.poll(completed, TURN_NANOS);
        }
    }

    @Test
    @Tag("6581-9.1-2")
    void endsWhenAReadIsPostedToAServerThatTakesNone() throws Exception {
        serve(sending(reply("1002000400000000")));
        connect(LONG);
        var sink = sink(8);
        queuePair.post(List.of(new WorkRequest.Read(1, sink, 1, 1)));
        await(() -> !completed.isEmpty());
        assertEquals(Completion.Status.FLUSHED, completed.getFirst().status());
        assertTrue(queuePair.failure().orElseThrow().contains("no RDMA Reads were agreed on"));
    }

    @Test
    void refusesASinkThatIsReadOnlyOrForeign() throws Exception {
        serve(sending(reply(PLAIN)));
        connect(LONG);
        var other = provider.allocateProtectionDomain();
        var memory = Arena.ofAuto().allocate(8);
        for (var region : List.of(domain.register(memory.asReadOnly()), other.register(memory))) {
            var sink = Sge.of(region);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> queuePair.post(List.of(new WorkRequest.Read(1, sink, 1, 1))));
            region.close();
        }
        for (long offset : new long[] {-1, 1, Long.MAX_VALUE}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new Sge(domain.register(memory), offset, 8));
        }
    }

    private Sge sink(long length) {
        return Sge.of(domain.register(Arena.ofAuto().allocate(length)));
    }

    @Test
    void flushesAllWorkWhenTheServerIsKilled() throws Exception {
        queuePair.postReceive(1, sink(10).region(), 0, 10);
        serve(
                peer -> {
                    peer.receiveSetUp();
                    peer.send(reply(PLAIN));
                    peer.receive();
                    peer.kill();
                });
        connect(LONG);
        var sink = sink(8);
        queuePair.post(List.of(new WorkRequest.Read(2, sink, 1, 1)));
        await(() -> completed.size() == 2);
        assertInstanceOf(String.class, queuePair.failure().orElseThrow());
        assertTrue(completed.stream().allMatch(each -> each.status() == Completion.Status.FLUSHED));
    }

    @Test
    void refusesPrivateDataThatDoesNotFit() {
        var address = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
        assertThrows(
                IllegalArgumentException.class,
                () -> queuePair.connect(address, new byte[509], LONG));
    }

    @Test
    void writesAddressesAsUsersDo() {
        assertEquals(
                "[0:0:0:0:0:0:0:1]:20049",
                RdmaException.nameOf(new InetSocketAddress(InetAddress.ofLiteral("::1"), 20_049)));
        assertEquals(
                "server.example:20049",
                RdmaException.nameOf(InetSocketAddress.createUnresolved("server.example", 20_049)));
    }

    @Test
    void cannotReachAnUnknownHost() {
        var nowhere = InetSocketAddress.createUnresolved("nowhere.invalid", 20_049);
        assertThrows(
                RdmaException.Unreachable.class, () -> queuePair.connect(nowhere, NOTHING, LONG));
        assertThrows(RdmaException.Unreachable.class, () -> provider.listen(nowhere));
    }
}
