package io.github.rpcrdma4j.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpReassemblyTest {
    private static final Endpoint CLIENT = new Endpoint(false, 0, 1, 700);
    private static final Endpoint SERVER = new Endpoint(false, 0, 2, 20049);

    /** Records all events as text. */
    private static final class Log implements TcpReassembly.Watcher {
        private final List<String> lines = new ArrayList<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void opened(int connection, Endpoint client, Endpoint server, boolean whole) {
            lines.add(connection + " opened by " + client.port() + (whole ? "" : " before"));
        }

        @Override
        public void data(int connection, boolean fromClient, Packet packet, ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(bytes.position(), copy);
            this.bytes.writeBytes(copy);
            var text = new String(copy, StandardCharsets.US_ASCII);
            lines.add(connection + (fromClient ? " > " : " < ") + text + " @" + packet.number());
        }

        @Override
        public void gap(int connection, boolean fromClient, Packet packet, long bytes) {
            lines.add(connection + (fromClient ? " > " : " < ") + "gap of " + bytes);
        }

        @Override
        public void closed(int connection, boolean fromClient, Packet packet, boolean reset) {
            lines.add(connection + (fromClient ? " > " : " < ") + (reset ? "reset" : "closed"));
        }
    }

    private Log log;
    private TcpReassembly reassembly;
    private int number;

    @BeforeEach
    void start() {
        log = new Log();
        reassembly = new TcpReassembly(log);
        number = 0;
    }

    private void add(boolean up, int flags, int sequence, int acknowledgment, byte[] bytes) {
        add(up, flags, sequence, acknowledgment, bytes, bytes.length);
    }

    private void add(
            boolean up, int flags, int sequence, int acknowledgment, byte[] bytes, int captured) {
        var segment =
                new TcpSegment(
                        up ? CLIENT : SERVER,
                        up ? SERVER : CLIENT,
                        sequence,
                        acknowledgment,
                        flags,
                        bytes.length,
                        ByteBuffer.wrap(bytes));
        byte[] frame = segment.encode();
        int length = frame.length - bytes.length + captured;
        reassembly.add(new Packet(++number, number, 1, ByteBuffer.wrap(frame, 0, length)));
    }

    private void send(boolean up, int sequence, String text) {
        add(up, TcpSegment.PSH, sequence, 0, text.getBytes(StandardCharsets.US_ASCII));
    }

    private void open(int client, int server) {
        add(true, TcpSegment.SYN, client, 0, new byte[0]);
        add(false, TcpSegment.SYN | TcpSegment.ACK, server, client + 1, new byte[0]);
    }

    private void happened(String... lines) {
        reassembly.finish();
        assertEquals(List.of(lines), log.lines);
    }

    @Test
    void ordersSegmentsAndPassesOnRetransmissionsOnce() {
        // The sequence numbers wrap in the middle of the stream.
        open(0xffff_fffe, 99);
        send(true, 0x0000_0002, "def");
        send(true, 0xffff_ffff, "abc");
        send(true, 0x0000_0001, "cde");
        send(true, 0x0000_0003, "efgh");
        send(false, 100, "x");
        send(false, 99, "?");
        happened("1 opened by 700", "1 > abc @4", "1 > def @4", "1 > gh @6", "1 < x @7");
    }

    @Test
    void reportsGapsAtTheEnd() {
        open(0, 0);
        send(true, 1, "ab");
        send(true, 6, "fg");
        send(true, 10, "j");
        happened(
                "1 opened by 700",
                "1 > ab @3",
                "1 > gap of 3",
                "1 > fg @5",
                "1 > gap of 2",
                "1 > j @5");
    }

    @Test
    void givesUpAcknowledgedBytesThatDoNotArrive() {
        open(0, 0);
        send(true, 3, "c");
        for (int i = 0; i < 60; i++) {
            add(false, TcpSegment.ACK, 1, 4, new byte[0]);
        }
        // Late, but within LATE_MAX.
        assertEquals(1, log.lines.size());
        send(true, 1, "ab");
        send(true, 9, "i");
        for (int i = 0; i < 70; i++) {
            add(false, TcpSegment.ACK, 1, 10, new byte[0]);
        }
        assertEquals("1 > gap of 5", log.lines.get(3));
        assertTrue(log.lines.get(4).startsWith("1 > i @"), log.lines.get(4));
        happened(log.lines.toArray(String[]::new));
    }

    @Test
    void givesUpMissingBytesBeforeTooManyHeldBytes() {
        open(0, 0);
        byte[] much = new byte[60_000];
        int at = 2;
        while (log.lines.size() == 1) {
            add(true, 0, at, 0, much);
            at += much.length;
        }
        assertEquals("1 > gap of 1", log.lines.get(1));
        assertTrue(at > 16 << 20 && at < 17 << 20, "kept " + at);
    }

    @Test
    void reportsBytesThatTheCaptureCutOff() {
        open(0, 0);
        add(true, 0, 1, 0, "abcdef".getBytes(StandardCharsets.US_ASCII), 2);
        send(true, 7, "g");
        happened("1 opened by 700", "1 > ab @3", "1 > gap of 4", "1 > g @4");
    }

    @Test
    void startsInTheMiddleOfAConnection() {
        send(false, 1000, "ab");
        send(true, 5000, "x");
        send(false, 1002, "c");
        happened("1 opened by 20049 before", "1 > ab @1", "1 < x @2", "1 > c @3");
    }

    @Test
    void separatesConnectionsBetweenEqualEndpoints() {
        open(0, 0);
        add(true, TcpSegment.SYN, 0, 0, new byte[0]);
        send(true, 1, "a");
        add(true, TcpSegment.FIN | TcpSegment.ACK, 2, 1, new byte[0]);
        add(false, TcpSegment.RST, 1, 0, new byte[0]);
        open(777, 888);
        send(true, 778, "b");
        happened(
                "1 opened by 700",
                "1 > a @4",
                "1 > closed",
                "1 < reset",
                "2 opened by 700",
                "2 > b @9");
    }

    @Test
    void senderOfSynAckIsTheServer() {
        add(false, TcpSegment.SYN | TcpSegment.ACK, 5, 9, new byte[0]);
        send(true, 9, "a");
        happened("1 opened by 700", "1 > a @2");
    }

    @Test
    void countsSkippedPackets() {
        open(0, 0);
        reassembly.add(new Packet(3, 0, 1, ByteBuffer.allocate(60)));
        reassembly.add(new Packet(4, 0, 9999, ByteBuffer.allocate(60)));
        assertEquals(new TcpReassembly.Counts(4, 2, 0, 1), reassembly.counts());
    }

    /**
     * Goal: a stream comes out complete, no matter how it is cut, repeated and shuffled. Method:
     * random cuts, within the limits of a window and a capture.
     */
    @Test
    void restoresShuffledStreams() {
        long seed =
                System.getProperty("seed", "").isEmpty()
                        ? new Random().nextLong()
                        : Long.getLong("seed");
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            start();
            byte[] stream = new byte[1 + random.nextInt(5000)];
            random.nextBytes(stream);
            int first = random.nextInt();
            open(first - 1, 0);
            var cuts = new ArrayList<int[]>();
            for (int at = 0; at < stream.length; ) {
                int count = Math.min(stream.length - at, 1 + random.nextInt(300));
                int before = Math.min(at, random.nextInt(50));
                cuts.add(new int[] {at - before, at + count});
                at += count;
            }
            for (int i = 0; i + 1 < cuts.size(); i++) {
                int other = Math.min(cuts.size() - 1, i + random.nextInt(8));
                var cut = cuts.get(i);
                cuts.set(i, cuts.get(other));
                cuts.set(other, cut);
            }
            for (var cut : cuts) {
                byte[] bytes = Arrays.copyOfRange(stream, cut[0], cut[1]);
                add(true, 0, first + cut[0], 0, bytes);
                if (random.nextInt(5) == 0) {
                    add(true, 0, first + cut[0], 0, bytes);
                }
            }
            reassembly.finish();
            assertArrayEquals(stream, log.bytes.toByteArray());
        }
    }
}
