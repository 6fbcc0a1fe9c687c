package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.io.DataInputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a queue pair sends and takes the frames of RFC 5040, 5041, 5044 and 6581, byte by byte.
 * Method: a client that the test operates by hand, over a plain socket.
 */
class QueuePairByHandTest {
    private static final String NO_CRC = "1002000400800080";
    private static final String WITH_CRC = "5002000400800080";
    private static final byte[] NOTHING = {};
    private static final byte[] FOUR = Frames.pattern(4, 9);
    private static final int RECEIVE_BYTES = 100;
    private static final int REGION_BYTES = 64;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<Completion> completed = new ArrayList<>();
    private final List<MemorySegment> buffers = new ArrayList<>();
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private QueuePair queuePair;
    private Listener listener;
    private Socket socket;
    private DataInputStream in;

    /** Connects, and returns the set-up frame of the queue pair, from its flags on. */
    private String connect(String request, int ulpduMax) throws Exception {
        var provider =
                new IwarpProvider(IwarpOptions.DEFAULT.withCrc(false).withUlpduMax(ulpduMax));
        domain = provider.allocateProtectionDomain();
        queue = provider.createCompletionQueue();
        queuePair = provider.createQueuePair(new QueuePairOptions(domain, queue, 16, 16, 4, 4, 1));
        for (int i = 0; i < 4; i++) {
            buffers.add(Arena.ofAuto().allocate(RECEIVE_BYTES));
            queuePair.postReceive(i, domain.register(buffers.get(i)), 0, RECEIVE_BYTES);
        }
        listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket = new Socket(listener.address().getAddress(), listener.address().getPort());
        socket.setSoTimeout((int) LONG.toMillis());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        send(RawPeer.setUp("Req", request));
        listener.accept(LONG).orElseThrow().accept(queuePair, NOTHING);
        byte[] head = in.readNBytes(20);
        byte[] rest = in.readNBytes(ByteBuffer.wrap(head).getShort(18) & 0xffff);
        return HexFormat.of().formatHex(head, 16, 20) + HexFormat.of().formatHex(rest);
    }

    @AfterEach
    void close() throws Exception {
        queuePair.close();
        domain.close();
        queue.close();
        listener.close();
        socket.close();
    }

    private void send(byte[] bytes) throws Exception {
        socket.getOutputStream().write(bytes);
    }

    private void await(BooleanSupplier wanted) throws Exception {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean()) {
            queue.poll(completed, TURN_NANOS);
            assertTrue(System.nanoTime() - start < PATIENCE_NANOS, () -> "seen: " + completed);
        }
    }

    private Sge memory(byte[] bytes) {
        var memory = Arena.ofAuto().allocate(bytes.length);
        memory.copyFrom(MemorySegment.ofArray(bytes));
        return Sge.of(domain.register(memory));
    }

    private MemoryWindow offer(MemorySegment memory, Access access) {
        return queuePair.bind(domain.register(memory), 0, memory.byteSize(), Set.of(access));
    }

    /** A frame as it came: its ULPDU, its padding and its CRC field. */
    private record Frame(byte[] ulpdu, byte[] padding, int crc, int computed) {
        String header(int bytes) {
            return HexFormat.of().formatHex(ulpdu, 0, bytes);
        }

        byte[] payload(int header) {
            return Arrays.copyOfRange(ulpdu, header, ulpdu.length);
        }
    }

    private Frame receive() throws Exception {
        int length = in.readUnsignedShort();
        byte[] ulpdu = in.readNBytes(length);
        byte[] padding = in.readNBytes(-(2 + length) & 3);
        byte[] crc = in.readNBytes(4);
        var computed = new CRC32C();
        computed.update(ByteBuffer.allocate(2).putShort((short) length).flip());
        computed.update(ulpdu);
        computed.update(padding);
        return new Frame(
                ulpdu,
                padding,
                Integer.reverseBytes(ByteBuffer.wrap(crc).getInt()),
                (int) computed.getValue());
    }

    /** Skips the empty Writes that this side may send to wake a peer up. */
    private Frame next() throws Exception {
        var frame = receive();
        while (frame.ulpdu.length == 14 && frame.ulpdu[1] == 0x40) {
            frame = receive();
        }
        return frame;
    }

    /**
     * Goal: two Sends and a Write and a Read become frames of the right headers, in order. Method:
     * a limit of 42 bytes for a ULPDU.
     */
    @Test
    @Tag("5040-4.1-1")
    @Tag("5040-4.1-3")
    @Tag("5040-4.1-4")
    @Tag("5040-4.4-1")
    @Tag("5040-5.1-2")
    @Tag("5040-5.2.1-1")
    @Tag("5041-4.1-1")
    @Tag("5041-4.2-1")
    @Tag("5041-4.3-1")
    @Tag("5041-4.3-2")
    @Tag("5041-5.2-1")
    @Tag("5041-5.3-1")
    @Tag("5044-4.1-1")
    @Tag("5044-4.1-2")
    @Tag("5044-4.1-4")
    @Tag("5044-4.4-1")
    @Tag("5044-4.4-2")
    void sendsFramesInOrder() throws Exception {
        connect(WITH_CRC, 128);
        send(new Frames(true).write(1, 0, true, NOTHING).bytes());
        byte[] first = Frames.pattern(150, 1);
        byte[] written = Frames.pattern(121, 3);
        var sink = memory(new byte[10]);
        queuePair.post(
                List.of(
                        new WorkRequest.Send(1, List.of(memory(first))),
                        new WorkRequest.Write(
                                2, List.of(memory(written)), 0x11223344, 0x0102030405060708L),
                        new WorkRequest.Read(3, sink, 0x55667788, 0x0a0b0c0d0e0f0102L),
                        new WorkRequest.Send(4, List.of(memory(FOUR)))));
        var frames = new ArrayList<Frame>();
        await(() -> !completed.isEmpty());
        for (int i = 0; i < 6; i++) {
            frames.add(next());
        }
        for (var frame : frames) {
            assertEquals(frame.computed, frame.crc);
            assertArrayEquals(new byte[frame.padding.length], frame.padding);
        }
        // Not last, version 1, Send; nothing to invalidate, queue 0, message 1, offset 0.
        assertEquals(
                "0143" + "00000000" + "00000000" + "00000001" + "00000000",
                frames.get(0).header(18));
        int cut = frames.get(0).payload(18).length;
        assertEquals(
                "4143" + "00000000" + "00000000" + "00000001" + "%08x".formatted(cut),
                frames.get(1).header(18));
        assertArrayEquals(Arrays.copyOf(first, cut), frames.get(0).payload(18));
        assertArrayEquals(Arrays.copyOfRange(first, cut, 150), frames.get(1).payload(18));
        // Tagged, not last; the handle, and the offset.
        assertEquals("8140" + "11223344" + "0102030405060708", frames.get(2).header(14));
        int half = frames.get(2).payload(14).length;
        assertEquals(
                "c140" + "11223344" + "%016x".formatted(0x0102030405060708L + half),
                frames.get(3).header(14));
        assertArrayEquals(Arrays.copyOf(written, half), frames.get(2).payload(14));
        assertArrayEquals(Arrays.copyOfRange(written, half, 121), frames.get(3).payload(14));
        // A Read Request in one segment: queue 1, message 1; 28 bytes.
        var read = frames.get(4);
        assertEquals("4141" + "00000000" + "00000001" + "00000001" + "00000000", read.header(18));
        var request = ByteBuffer.wrap(read.payload(18));
        assertEquals(28, request.remaining());
        request.getInt();
        request.getLong();
        assertEquals(10, request.getInt());
        assertEquals(0x55667788, request.getInt());
        assertEquals(0x0a0b0c0d0e0f0102L, request.getLong());
        // The second Send has the next number.
        assertEquals(
                "4143" + "00000000" + "00000000" + "00000002" + "00000000",
                frames.get(5).header(18));
    }

    /**
     * Goal: a slow peer is told from one that stalls. Method: a Read whose response comes in parts.
     */
    @Test
    void countsTheBytesOfUnfinishedReadsAndNoMessagesOfThePeer() throws Exception {
        connect(NO_CRC, 16_384);
        queuePair.post(List.of(new WorkRequest.Read(3, memory(new byte[100]), 1, 0)));
        byte[] messages = new Frames(false).send(FOUR).send(FOUR).bytes();
        int one = messages.length / 2;
        send(Arrays.copyOf(messages, one));
        await(() -> !completed.isEmpty());
        var request = ByteBuffer.wrap(next().payload(18));
        int sink = request.getInt();
        long offset = request.getLong();
        long before = queuePair.bytesMoved().orElseThrow();
        send(Arrays.copyOfRange(messages, one, 2 * one));
        await(() -> completed.size() == 2);
        assertEquals(before, queuePair.bytesMoved().orElseThrow());
        byte[] response = new Frames(false).readResponse(sink, offset, true, new byte[100]).bytes();
        int header = 16;
        send(Arrays.copyOf(response, header + 40));
        await(() -> queuePair.bytesMoved().orElseThrow() == before + 40);
        send(Arrays.copyOfRange(response, header + 40, response.length));
        await(() -> completed.size() == 3);
        assertEquals(before + 100, queuePair.bytesMoved().orElseThrow());
    }

    @Test
    @Tag("5040-5.2.2-1")
    void answersReadsInTheirOrder() throws Exception {
        connect(NO_CRC, 16_384);
        var memory = Arena.ofAuto().allocate(REGION_BYTES);
        memory.copyFrom(MemorySegment.ofArray(Frames.pattern(REGION_BYTES, 5)));
        var window = offer(memory, Access.REMOTE_READ);
        send(
                new Frames(false)
                        .readRequest(new ReadRequest(7, 70, 10, window.handle(), window.address()))
                        .readRequest(
                                new ReadRequest(8, 80, 20, window.handle(), window.address() + 30))
                        .bytes());
        queue.poll(completed, TURN_NANOS);
        for (int i = 0; i < 200; i++) {
            queue.poll(completed, TURN_NANOS / 10);
        }
        var first = next();
        assertEquals("c142" + "00000007" + "%016x".formatted(70), first.header(14));
        assertArrayEquals(Arrays.copyOf(Frames.pattern(REGION_BYTES, 5), 10), first.payload(14));
        var second = next();
        assertEquals("c142" + "00000008" + "%016x".formatted(80), second.header(14));
        assertArrayEquals(
                Arrays.copyOfRange(Frames.pattern(REGION_BYTES, 5), 30, 50), second.payload(14));
    }

    /**
     * Method: reserved bits set, padding that is not zero, CRCs of anything, one byte at a time.
     */
    @Test
    @Tag("5041-4.1-2")
    @Tag("5041-5.1.2-1")
    @Tag("5041-5.4-1")
    @Tag("5041-5.4-2")
    @Tag("5044-4.1-3")
    @Tag("5044-4.1-5")
    @Tag("5044-5.2-1")
    void takesFramesHoweverTheyArrive() throws Exception {
        connect(NO_CRC, 16_384);
        var target = Arena.ofAuto().allocate(REGION_BYTES);
        var window = offer(target, Access.REMOTE_WRITE);
        var frames = new Frames(false);
        frames.write(window.handle(), window.address(), true, FOUR);
        frames.send(DdpSegment.SEND, 0, 0, false, Frames.pattern(5, 1));
        frames.send(DdpSegment.SEND, 0, 5, true, Frames.pattern(6, 2));
        frames.send(Frames.pattern(7, 3));
        byte[] stream = frames.bytes();
        int at = 0;
        while (at < stream.length) {
            int length = ByteBuffer.wrap(stream).getShort(at) & 0xffff;
            // The reserved bits of the control field.
            stream[at + 2] |= 0x3c;
            int end = at + 2 + length + (-(2 + length) & 3) + 4;
            Arrays.fill(stream, at + 2 + length, end, (byte) 0x5a);
            at = end;
        }
        for (byte each : stream) {
            send(new byte[] {each});
        }
        await(() -> completed.size() == 2);
        assertEquals(List.of(11, 7), completed.stream().map(each -> (int) each.length()).toList());
        assertEquals(List.of(0L, 1L), completed.stream().map(Completion::workRequestId).toList());
        assertArrayEquals(FOUR, target.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(
                Frames.pattern(5, 1), buffers.get(0).asSlice(0, 5).toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(
                Frames.pattern(6, 2), buffers.get(0).asSlice(5, 6).toArray(ValueLayout.JAVA_BYTE));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 5, 20, 21})
    @Tag("5044-4.4-3")
    @Tag("5044-8-2")
    void completesNothingFromAFrameWithAWrongByte(int wrong) throws Exception {
        connect(WITH_CRC, 16_384);
        var frames = new Frames(true).send(FOUR);
        int end = frames.size();
        byte[] stream = frames.send(FOUR).send(FOUR).bytes();
        stream[wrong == 0 ? 2 * end - 1 : end + wrong] ^= 1;
        send(stream);
        await(() -> queuePair.state() == QueuePair.State.ERROR);
        queue.poll(completed, 0);
        var succeeded = completed.stream().filter(Completion::succeeded).toList();
        assertEquals(1, succeeded.size(), "the frame before it, and none behind it");
    }

    /**
     * @param control the control field of a frame, in hexadecimal
     * @param queueNumber its queue
     * @param sequence its message number
     * @param offset its offset
     * @param fault the layer, the type and the code of the Terminate, in hexadecimal
     */
    @ParameterizedTest
    @CsvSource({
        "4043, 0, 1, 0, 1206",
        "4343, 0, 1, 0, 1206",
        "4103, 0, 1, 0, 0205",
        "4183, 0, 1, 0, 0205",
        "4140, 0, 1, 0, 0206",
        "4148, 0, 1, 0, 0206",
        "4143, 1, 1, 0, 1201",
        "4143, 3, 1, 0, 1201",
        "4143, 0, 0, 0, 1203",
        "4143, 0, 2, 0, 1203",
        "4143, 0, 1, 4, 1204",
        "4147, 0, 1, 0, 1201"
    })
    @Tag("5040-4.1-2")
    @Tag("5040-4.1-5")
    @Tag("5040-4.8-1")
    @Tag("5040-4.8-2")
    @Tag("5041-7.1-5")
    @Tag("5041-7.1-6")
    @Tag("5041-7.1-8")
    @Tag("5041-7.1-9")
    @Tag("5041-7.2-1")
    void reportsEachFaultByItsCode(
            String control, int queueNumber, int sequence, int offset, String fault)
            throws Exception {
        connect(NO_CRC, 16_384);
        int bits = Integer.parseInt(control, 16);
        byte[] ulpdu =
                ByteBuffer.allocate(18 + FOUR.length)
                        .putShort((short) bits)
                        .putInt(0)
                        .putInt(queueNumber)
                        .putInt(sequence)
                        .putInt(offset)
                        .put(FOUR)
                        .array();
        send(new Frames(false).add(ulpdu).bytes());
        await(() -> queuePair.state() == QueuePair.State.ERROR);
        var terminate = next();
        assertEquals(
                "4147" + "00000000" + "00000002" + "00000001" + "00000000", terminate.header(18));
        var content = HexFormat.of().formatHex(terminate.payload(18));
        assertEquals(fault, content.substring(0, 4));
        assertTrue(
                content.contains(HexFormat.of().formatHex(ulpdu, 0, 18)),
                "the headers of the segment follow: " + content);
        assertEquals(-1, in.read());
    }

    /**
     * Goal: what a peer does with a handle that it may not use so is told by its code. Method: each
     * wrong use of a window of 64 bytes.
     *
     * @param use the operation
     * @param handle added to the handle of the window
     * @param offset where it begins in the window
     * @param fault as in {@link #reportsEachFaultByItsCode}
     */
    @ParameterizedTest
    @CsvSource({
        "WRITE, 1, 0, 1100",
        "WRITE, 0, 61, 1101",
        "WRITE, 0, -1, 1101",
        "READ, 1, 0, 0100",
        "READ, 0, 61, 0101",
        "READ, 0, -1, 0101"
    })
    @Tag("5041-7.2-1")
    void reportsEachWrongUseOfAHandleByItsCode(String use, int handle, int offset, String fault)
            throws Exception {
        connect(NO_CRC, 16_384);
        var memory = Arena.ofAuto().allocate(REGION_BYTES);
        var isRead = use.equals("READ");
        var window = offer(memory, isRead ? Access.REMOTE_READ : Access.REMOTE_WRITE);
        int named = window.handle() + handle;
        long at = window.address() + offset;
        var frames = new Frames(false);
        send(
                (isRead
                                ? frames.readRequest(new ReadRequest(7, 70, 4, named, at))
                                : frames.write(named, at, true, FOUR))
                        .bytes());
        await(() -> queuePair.state() == QueuePair.State.ERROR);
        assertEquals(fault, HexFormat.of().formatHex(next().payload(18)).substring(0, 4));
        assertArrayEquals(new byte[REGION_BYTES], memory.toArray(ValueLayout.JAVA_BYTE));
    }

    /**
     * @param request the flags, the revision, the length and the data of the request
     * @param reply those of the reply; this side has depths of 4
     */
    @ParameterizedTest
    @CsvSource({
        // A depth of 2 is obeyed, a larger one is not reached.
        "1002000400020009, 1002000400040002",
        "1002000400800002, 1002000400040004",
        // The largest depth means that nothing is negotiated.
        "100200043fff3fff, 100200043fff3fff",
        // Flags of first frames have no meaning without peer-to-peer, and the reply has none.
        "1002000440048008, 1002000400040004",
        // Peer-to-peer is confirmed, with one first frame.
        "1002000480108010, 1002000480048004",
        // Reserved bits are ignored, and sent as zero.
        "1f02000400800080, 1002000400040004",
        // CRCs are used if one side asks.
        "5002000400800080, 5002000400040004",
        // Revision 1 has no enhanced data.
        "00010000, 00010000"
    })
    @Tag("5044-7.1.1-2")
    @Tag("5044-7.1.1-4")
    @Tag("5044-7.1.1-5")
    @Tag("6581-6-1")
    @Tag("6581-9-1")
    @Tag("6581-9.1-1")
    @Tag("6581-9.1-4")
    @Tag("6581-9.2-1")
    @Tag("6581-9.2-3")
    @Tag("6581-9.2-6")
    @Tag("6581-10-2")
    void answersEachRequest(String request, String reply) throws Exception {
        assertEquals(reply, connect(request, 16_384));
    }
}
