package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a damaged frame or set-up frame only breaks its own connection, and reaches only memory
 * that was offered. Method: streams of frames, some of them damaged at random from a seed. Most run
 * without a socket, some over sockets.
 */
class HostileFramesTest {
    private static final int FRAMES = 40_000;
    private static final int PER_SOCKET = 100;
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final byte[] NOTHING = {};
    private static final Duration TURN = Duration.ofMillis(50);

    /**
     * Flags, enhanced data and eight bytes of private data, with and without a request for CRCs.
     */
    private static final String CRC = "5002000c0004000411223344f6ab0e18";

    private static final String NO_CRC = "1002000c0004000411223344f6ab0e18";

    private int sent;

    /** How many connections were established. */
    private int stood;

    /** Returns valid frames, one by one. Without a receiver, their handles are random. */
    private static List<byte[]> frames(RandomGenerator random, boolean crcs, Receiver at) {
        int target = at == null ? random.nextInt() : at.target.handle();
        long address = at == null ? 0 : at.target.address();
        int source = at == null ? random.nextInt() : at.source.handle();
        int doomed = at == null ? random.nextInt() : at.doomed.handle();
        int sink = at == null ? random.nextInt() : at.sink.handle();
        long sinkAddress = at == null ? 0 : at.sink.address() + 50;
        var frames = new Frames(crcs);
        var ends = new ArrayList<Integer>();
        ends.add(0);
        for (int i = random.nextInt(1, 10); i > 0; i--) {
            byte[] payload = new byte[random.nextInt(200)];
            switch (random.nextInt(8)) {
                case 0 -> frames.write(target, address, random.nextBoolean(), payload);
                case 1 -> frames.send(DdpSegment.SEND, 0, 0, random.nextBoolean(), payload);
                case 2 -> frames.send(DdpSegment.SEND_INVALIDATE, doomed, 0, true, payload);
                case 3 -> frames.readRequest(new ReadRequest(5, 6, 77, source, address));
                case 4 -> frames.readResponse(sink, sinkAddress, true, new byte[100]);
                case 5 -> frames.readResponse(sink, sinkAddress, false, payload);
                case 6 -> frames.terminate((byte) 0x12, (byte) 3, (byte) 0, (byte) 0);
                default -> frames.send(payload);
            }
            ends.add(frames.size());
        }
        byte[] stream = frames.bytes();
        var each = new ArrayList<byte[]>();
        for (int i = 1; i < ends.size(); i++) {
            each.add(Arrays.copyOfRange(stream, ends.get(i - 1), ends.get(i)));
        }
        return each;
    }

    /**
     * Returns a stream with about one damaged frame: damage inside a valid frame, or to the whole
     * frame.
     */
    private byte[] stream(RandomGenerator random, boolean crcs, Receiver at) {
        var frames = frames(random, crcs, at);
        var stream = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            sent++;
            if (random.nextInt(frames.size()) > 0) {
                stream.writeBytes(frame);
            } else if (random.nextInt(4) == 0) {
                stream.writeBytes(Mutation.of(frame, frames.getFirst(), random));
            } else {
                int ulpdu = ByteBuffer.wrap(frame).getShort() & 0xffff;
                byte[] inside =
                        Arrays.copyOfRange(frame, Fpdu.LENGTH_BYTES, Fpdu.LENGTH_BYTES + ulpdu);
                stream.writeBytes(new Frames(crcs).add(Mutation.of(inside, frame, random)).bytes());
            }
        }
        return stream.toByteArray();
    }

    @Test
    @Tag("5040-5.1-1")
    @Tag("5040-5.2.1-2")
    @Tag("5041-7.1-11")
    void theReceivingHalfOutlivesEveryFrame() {
        int frames = Seeds.rounds(FRAMES);
        Seeds.many(Integer.MAX_VALUE).takeWhile(_ -> sent < frames).forEach(this::receive);
    }

    private void receive(long seed) {
        var random = new SplittableRandom(seed);
        boolean crcs = random.nextBoolean();
        var receiver = new Receiver(crcs);
        try {
            var stream = stream(random, crcs, receiver);
            var outcome = receiver.take(stream, () -> random.nextInt(1, 400));
            assertTrue(outcome.matches("(Closed|Broken|Terminated|Ended)\\[.*"), outcome);
            // Neither region is ever written to, whichever headers arrive.
            byte[] untouched = new byte[Receiver.REGION_BYTES];
            for (var region : List.of(receiver.source, receiver.doomed)) {
                assertArrayEquals(untouched, region.segment().toArray(ValueLayout.JAVA_BYTE));
            }
            assertTrue(receiver.windows.size() >= 1);
        } catch (Exception | AssertionError broken) {
            throw new AssertionError("seed=" + seed, broken);
        }
    }

    private static byte[] setUp(RandomGenerator random, String kind, String rest) {
        byte[] right = RawPeer.setUp(kind, rest);
        return random.nextBoolean() ? right : Mutation.of(right, right, random);
    }

    /** Sends everything, and closes after the other side has closed. */
    private static void talk(RawPeer peer, byte[] setUp, byte[] frames) throws IOException {
        try {
            peer.send(setUp);
            peer.send(frames);
            peer.finish();
        } catch (IOException refused) {
            // The other side refused the connection early.
        }
        while (!peer.isAtEnd()) {}
    }

    /** Connects a queue pair of this side to a hostile peer. */
    private interface Connecting {
        void connect(QueuePair pair) throws RdmaException, InterruptedException;
    }

    /** Connects, and waits for the end. Then every receive has completed. */
    private void meet(IwarpProvider provider, Connecting connecting) throws Exception {
        var domain = provider.allocateProtectionDomain();
        try (var queue = provider.createCompletionQueue();
                var pair =
                        provider.createQueuePair(
                                new QueuePairOptions(domain, queue, 8, 8, 4, 4, 1))) {
            for (int i = 0; i < 4; i++) {
                pair.postReceive(i, domain.register(Arena.ofAuto().allocate(300)), 0, 300);
            }
            connecting.connect(pair);
            stood++;
            var completions = new ArrayList<Completion>();
            long deadline = System.nanoTime() + LONG.toNanos();
            while (pair.state() == QueuePair.State.READY) {
                assertTrue(System.nanoTime() < deadline, "it does not end");
                queue.poll(completions, TURN.toNanos());
            }
            queue.poll(completions, 0);
            assertEquals(4, completions.size(), "every receive completes once");
        } catch (RdmaException _) {
            // The connection was refused or lost.
        } finally {
            domain.close();
        }
    }

    private static int connections() {
        return Math.max(1, Seeds.rounds(FRAMES) / PER_SOCKET);
    }

    @Test
    @Tag("5044-7.1.1-1")
    @Tag("5044-7.1.2-3")
    void aListenerOutlivesEveryClient() throws Exception {
        var provider = new IwarpProvider();
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Void> serving;
            try (var listener = provider.listen(loopback)) {
                serving = threads.submit(() -> serve(provider, listener));
                for (long seed : Seeds.many(connections()).toArray()) {
                    var random = new SplittableRandom(seed);
                    byte[] request = setUp(random, "Req", random.nextBoolean() ? CRC : NO_CRC);
                    try (var peer = RawPeer.connect(listener.address())) {
                        talk(peer, request, stream(random, random.nextBoolean(), null));
                    }
                }
            }
            serving.get();
        }
        checkThatSomeStood();
    }

    /** Serves one client after another until the listener is closed. */
    private Void serve(IwarpProvider provider, Listener listener) throws Exception {
        while (true) {
            try {
                var request = listener.accept(LONG);
                if (request.isPresent()) {
                    meet(provider, pair -> request.get().accept(pair, NOTHING));
                }
            } catch (RdmaException closed) {
                return null;
            }
        }
    }

    @Test
    @Tag("5044-7.1.1-1")
    void aClientOutlivesEveryServer() throws Exception {
        var provider = new IwarpProvider();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var address = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
            for (long seed : Seeds.many(connections()).toArray()) {
                var random = new SplittableRandom(seed);
                byte[] reply = setUp(random, "Rep", random.nextBoolean() ? CRC : NO_CRC);
                byte[] frames = stream(random, random.nextBoolean(), null);
                var talking =
                        threads.submit(
                                () -> {
                                    try (var peer = new RawPeer(server.accept())) {
                                        peer.receiveSetUp();
                                        talk(peer, reply, frames);
                                    }
                                    return null;
                                });
                meet(provider, pair -> pair.connect(address, NOTHING, LONG));
                talking.get();
            }
        }
        checkThatSomeStood();
    }

    private void checkThatSomeStood() {
        assertTrue(Seeds.isGiven() || stood > connections() / 4, () -> stood + " stood");
    }
}
