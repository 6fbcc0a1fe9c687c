package io.github.rpcrdma4j.iwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Agreed;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.FirstFrame;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.iwarp.tcp.Frames;
import io.github.rpcrdma4j.iwarp.tcp.Open;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the sending half without a socket: posted work becomes the right frames, however little the
 * socket accepts per write.
 */
class OutboundTest {
    private static final int ULPDU_MAX = 114;

    /** A channel that accepts a limited number of bytes per write. */
    private static final class Wire implements GatheringByteChannel {
        private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        private final IntSupplier room;

        Wire(IntSupplier room) {
            this.room = room;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            int left = room.getAsInt();
            int total = left;
            for (int i = offset; i < offset + length; i++) {
                left -= take(sources[i], left);
            }
            return total - left;
        }

        private int take(ByteBuffer source, int max) {
            byte[] bytes = new byte[Math.min(max, source.remaining())];
            source.get(bytes);
            stream.writeBytes(bytes);
            return bytes.length;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            return take(source, room.getAsInt());
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private final SoftwareDomain domain = new SoftwareDomain(new Random(3));
    private final SoftwareWindows windows = domain.windows();
    private final Open region =
            Open.of(domain, windows, memory(Frames.pattern(4000, 1)), Access.REMOTE_READ);

    /** Draws the handles and addresses that {@link #windows} draws. */
    private final SoftwareWindows twin = new SoftwareDomain(new Random(3)).windows();

    private final Map<Long, ReadRequest> readRequests = new HashMap<>();
    private final List<String> completed = new ArrayList<>();

    private static MemorySegment memory(byte[] bytes) {
        var segment = Arena.ofAuto().allocate(bytes.length);
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return segment;
    }

    @BeforeEach
    void drawTheNamesOfTheWindow() {
        assertEquals(region.address(), twin.drawAddress());
        assertEquals(region.handle(), twin.drawHandle());
    }

    private Outbound outbound(Wire wire, boolean crc, int inbound, int outbound, boolean held) {
        return new Outbound(
                wire,
                new Agreed(crc, inbound, outbound, FirstFrame.NONE),
                ULPDU_MAX,
                held,
                new ScratchPool(),
                windows,
                (element, status) -> completed.add(id(element) + " " + status));
    }

    private Outbound outbound(Wire wire, int ulpduMax) {
        return new Outbound(
                wire,
                new Agreed(true, 2, 2, FirstFrame.NONE),
                ulpduMax,
                false,
                new ScratchPool(),
                windows,
                (element, status) -> completed.add(id(element) + " " + status));
    }

    private static long id(SendElement element) {
        return element.completion(null, Status.SUCCESS).workRequestId();
    }

    private Sge element(byte[] bytes) {
        return Sge.of(domain.register(memory(bytes)));
    }

    private WorkRequest send(long id, byte[]... pieces) {
        var gather = new ArrayList<Sge>();
        for (byte[] piece : pieces) {
            gather.add(element(piece));
        }
        return new WorkRequest.Send(id, gather);
    }

    /** Makes a Read that must be posted immediately, because posting draws the name of its sink. */
    private WorkRequest read(long id) {
        var named = new ReadRequest(twin.drawHandle(), twin.drawAddress(), 20, 77, 1000 + id);
        readRequests.put(id, named);
        return new WorkRequest.Read(id, new Sge(region.window().region(), 10, 20), 77, 1000 + id);
    }

    private ReadRequest readRequest(long id) {
        return readRequests.get(id);
    }

    private static void flush(Outbound outbound) throws IOException {
        while (!outbound.flush()) {}
    }

    private static byte[] part(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    /** Posts work of every kind and compares the frames on the wire. */
    private void cutsWork(boolean crc, IntSupplier room) throws Exception {
        completed.clear();
        var wire = new Wire(room);
        var outbound = outbound(wire, crc, 4, 2, false);
        byte[] message = Frames.pattern(250, 5);
        outbound.post(send(1, part(message, 0, 1), new byte[0], part(message, 1, 250)));
        outbound.post(
                new WorkRequest.Send(
                        2, List.of(element(Frames.pattern(3, 6))), OptionalInt.of(99)));
        outbound.post(new WorkRequest.Write(3, List.of(element(message)), 7, 0x1_0000_0000L));
        outbound.post(send(4));
        outbound.post(new WorkRequest.Write(5, List.of(), 7, 8));
        for (int id = 6; id < 9; id++) {
            outbound.post(read(id));
        }
        outbound.post(send(9, new byte[2]));
        flush(outbound);
        assertEquals(
                List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS", "5 SUCCESS"),
                completed);
        outbound.readDone();
        flush(outbound);
        outbound.readDone();
        outbound.readDone();
        assertEquals(9, completed.size());
        assertEquals("9 SUCCESS", completed.getLast());
        assertEquals(0, outbound.uncompleted());
        var expected =
                new Frames(crc)
                        .send(3, 0, 0, false, part(message, 0, 96))
                        .send(3, 0, 96, false, part(message, 96, 192))
                        .send(3, 0, 192, true, part(message, 192, 250))
                        .send(4, 99, 0, true, Frames.pattern(3, 6))
                        .write(7, 0x1_0000_0000L, false, part(message, 0, 100))
                        .write(7, 0x1_0000_0064L, false, part(message, 100, 200))
                        .write(7, 0x1_0000_00c8L, true, part(message, 200, 250))
                        .send(new byte[0])
                        .write(7, 8, true, new byte[0])
                        .readRequest(readRequest(6))
                        .readRequest(readRequest(7))
                        .readRequest(readRequest(8))
                        .send(new byte[2]);
        assertArrayEquals(expected.bytes(), wire.stream.toByteArray());
    }

    @Test
    @Tag("5041-4.3-2")
    @Tag("5041-5.2-1")
    @Tag("5041-5.3-1")
    @Tag("5040-4.1-4")
    @Tag("5040-5.1-2")
    @Tag("5040-5.2.1-1")
    @Tag("5044-4.1-2")
    @Tag("5044-4.3-2")
    @Tag("5044-4.4-1")
    void cutsWorkIntoFrames() throws Exception {
        cutsWork(true, () -> Integer.MAX_VALUE);
        cutsWork(false, () -> Integer.MAX_VALUE);
    }

    @Test
    void writesEqualFramesToASocketThatAcceptsLittle() throws Exception {
        var random = new Random(Seeds.one());
        for (int room = 1; room < 40; room++) {
            int fixed = room;
            cutsWork(true, () -> fixed);
        }
        for (int i = 0; i < 100; i++) {
            cutsWork(true, () -> random.nextInt(200));
        }
    }

    @Test
    @Tag("5040-5.2.1-5")
    @Tag("5666-3.3-8")
    void makesNoMoreReadsThanWereAgreedOn() throws Exception {
        var wire = new Wire(() -> Integer.MAX_VALUE);
        var outbound = outbound(wire, false, 4, 2, false);
        for (int id = 0; id < 5; id++) {
            outbound.post(read(id));
        }
        var expected = new Frames(false).readRequest(readRequest(0)).readRequest(readRequest(1));
        for (int id = 2; id < 5; id++) {
            flush(outbound);
            assertArrayEquals(expected.bytes(), wire.stream.toByteArray());
            outbound.readDone();
            expected.readRequest(readRequest(id));
        }
        flush(outbound);
        assertArrayEquals(expected.bytes(), wire.stream.toByteArray());
    }

    @Test
    @Tag("5040-5.2.1-6")
    @Tag("5040-5.2.2-1")
    void takesNoMoreReadsThanWereAgreedOnAndAnswersThemFirst() throws Exception {
        var wire = new Wire(() -> Integer.MAX_VALUE);
        var outbound = outbound(wire, true, 2, 2, false);
        var request = new ReadRequest(5, 600, 130, region.handle(), region.address() + 7);
        var nothing = new ReadRequest(8, 9, 0, 0, 0);
        outbound.post(send(1, new byte[1]));
        assertTrue(outbound.respond(SendElement.response(request, region.window())));
        assertTrue(outbound.respond(SendElement.response(nothing, null)));
        assertFalse(outbound.respond(SendElement.response(nothing, null)));
        flush(outbound);
        byte[] source = Frames.pattern(4000, 1);
        var expected =
                new Frames(true)
                        .readResponse(5, 600, false, part(source, 7, 107))
                        .readResponse(5, 700, true, part(source, 107, 137))
                        .readResponse(8, 9, true, new byte[0])
                        .send(new byte[1]);
        assertArrayEquals(expected.bytes(), wire.stream.toByteArray());
        assertTrue(outbound.respond(SendElement.response(nothing, null)));
        assertEquals(List.of("1 SUCCESS"), completed);
    }

    @Test
    @Tag("5044-7.1.2-4")
    void sendsNothingBeforeAFrameOfThePeerArrives() throws Exception {
        var wire = new Wire(() -> Integer.MAX_VALUE);
        var outbound = outbound(wire, false, 2, 2, true);
        outbound.post(send(1, new byte[1]));
        assertTrue(outbound.flush());
        assertEquals(0, wire.stream.size());
        outbound.release();
        flush(outbound);
        assertArrayEquals(new Frames(false).send(new byte[1]).bytes(), wire.stream.toByteArray());
    }

    @Test
    void sendsAnEmptyWriteWithoutAWorkRequest() throws Exception {
        var wire = new Wire(() -> Integer.MAX_VALUE);
        var outbound = outbound(wire, false, 2, 2, false);
        outbound.postEmptyWrite();
        flush(outbound);
        assertArrayEquals(
                new Frames(false).write(1, 0, true, new byte[0]).bytes(),
                wire.stream.toByteArray());
        assertEquals(List.of(), completed);
    }

    @Test
    @Tag("5040-7.1-2")
    @Tag("5040-5.4-1")
    void terminatesOnlyBetweenFrames() throws Exception {
        var room = new int[] {10};
        var wire = new Wire(() -> room[0]);
        var outbound = outbound(wire, true, 2, 2, false);
        outbound.post(send(1, new byte[50]));
        assertFalse(outbound.flush());
        int before = wire.stream.size();
        room[0] = Integer.MAX_VALUE;
        outbound.terminate(Terminate.of(Fault.CRC), null);
        assertEquals(before, wire.stream.size());
        flush(outbound);
        outbound.terminate(Terminate.of(Fault.CRC), null);
        var expected =
                new Frames(true)
                        .send(new byte[50])
                        .terminate((byte) 0x20, (byte) 2, (byte) 0, (byte) 0);
        assertArrayEquals(expected.bytes(), wire.stream.toByteArray());
    }

    @Test
    @Tag("5040-5.5-3")
    void endsAllWorkOnceAndInOrder() throws Exception {
        var wire = new Wire(() -> 30);
        var outbound = outbound(wire, true, 2, 1, false);
        outbound.post(read(1));
        outbound.post(send(2, new byte[10]));
        outbound.post(read(3));
        flush(outbound);
        outbound.oldestRead().end(Status.REMOTE_ACCESS_ERROR);
        outbound.flushAll();
        assertEquals(List.of("1 REMOTE_ACCESS_ERROR", "2 FLUSHED", "3 FLUSHED"), completed);
        assertTrue(outbound.flush());
        outbound.flushAll();
        assertEquals(3, completed.size());
    }

    @Test
    @Tag("5040-8.1-1")
    void sendsNothingOfARegionThatWasInvalidated() {
        var wire = new Wire(() -> Integer.MAX_VALUE);
        var outbound = outbound(wire, true, 2, 2, false);
        var request = new ReadRequest(5, 600, 20, region.handle(), region.address());
        outbound.respond(SendElement.response(request, region.window()));
        region.window().invalidate();
        var gone = assertThrows(SourceInvalidatedException.class, outbound::flush);
        assertEquals(region.handle(), gone.handle());
        assertEquals(0, wire.stream.size());
    }

    /**
     * Goal: a peer that has all bytes of a Read Response may end the call, and this side may then
     * invalidate the window, although later frames of the batch still wait for the socket. Method:
     * the socket accepts every number of bytes of two frames before the window is invalidated.
     */
    @Test
    @Tag("5040-8.1-1")
    void aWindowMayEndOnceItsBytesAreWritten() throws Exception {
        byte[] data = Frames.pattern(1600, 7);
        int frame = 2 + 14 + data.length + 4;
        for (int written = 0; written <= 2 * frame; written++) {
            var ended = Open.of(domain, windows, memory(data), Access.REMOTE_READ);
            var other = Open.of(domain, windows, memory(data), Access.REMOTE_READ);
            var room = new ArrayDeque<>(List.of(written));
            var wire = new Wire(() -> room.isEmpty() ? 0 : room.remove());
            var outbound = outbound(wire, 2000);
            for (var each : List.of(ended, other)) {
                var request = new ReadRequest(5, 600, data.length, each.handle(), each.address());
                assertTrue(outbound.respond(SendElement.response(request, each.window())));
            }
            outbound.flush();
            assertEquals(written, wire.stream.size());
            ended.window().invalidate();
            room.add(Integer.MAX_VALUE);
            if (written < frame - 4) {
                var gone = assertThrows(SourceInvalidatedException.class, outbound::flush);
                assertEquals(ended.handle(), gone.handle());
            } else {
                assertTrue(outbound.flush());
                var response = new Frames(true).readResponse(5, 600, true, data);
                byte[] both = response.readResponse(5, 600, true, data).bytes();
                assertArrayEquals(both, wire.stream.toByteArray());
            }
        }
    }

    @Test
    void invalidatesAWindowAfterEarlierWork() throws Exception {
        var wire = new Wire(() -> Integer.MAX_VALUE);
        var outbound = outbound(wire, true, 2, 2, false);
        outbound.post(send(1, new byte[5]));
        outbound.post(new WorkRequest.Invalidate(2, region.window()));
        outbound.post(send(3, new byte[6]));
        assertTrue(region.window().isValid());
        flush(outbound);
        assertFalse(region.window().isValid());
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completed);
        var expected = new Frames(true).send(new byte[5]).send(new byte[6]);
        assertArrayEquals(expected.bytes(), wire.stream.toByteArray());
    }

    /** Goal: no gather list breaks framing. Method: random lists of elements of all sizes. */
    @Test
    void gathersPiecesOfAnySize() throws Exception {
        var random = new Random(Seeds.one());
        for (int i = 0; i < 50; i++) {
            var wire = new Wire(() -> 1 + random.nextInt(100_000));
            int ulpduMax = 1 + random.nextInt(3) * 20_000 + 60;
            var outbound = outbound(wire, ulpduMax);
            var gather = new ArrayList<Sge>();
            var whole = new ByteArrayOutputStream();
            for (int j = random.nextInt(300); j >= 0; j--) {
                int bound = random.nextInt(10) == 0 ? 30_000 : 40;
                byte[] piece = Frames.pattern(random.nextInt(bound), j);
                gather.add(element(piece));
                whole.writeBytes(piece);
            }
            outbound.post(new WorkRequest.Write(i, gather, 1, 0));
            flush(outbound);
            assertArrayEquals(whole.toByteArray(), placed(wire.stream.toByteArray(), ulpduMax));
        }
        assertEquals(50, completed.size());
    }

    /** Returns the payload of a stream of Writes with contiguous offsets. */
    private static byte[] placed(byte[] stream, int ulpduMax) {
        var in = ByteBuffer.wrap(stream);
        var payload = new ByteArrayOutputStream();
        while (in.hasRemaining()) {
            int length = in.getShort() & 0xffff;
            assertTrue(length <= ulpduMax);
            in.position(in.position() + 6);
            assertEquals(payload.size(), in.getLong());
            byte[] bytes = new byte[length - 14];
            in.get(bytes);
            payload.writeBytes(bytes);
            in.position(in.position() + (-(2 + length) & 3) + 4);
        }
        return payload.toByteArray();
    }
}
