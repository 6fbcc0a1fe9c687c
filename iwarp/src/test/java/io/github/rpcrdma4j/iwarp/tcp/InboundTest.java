package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.iwarp.rdmap.Outcome;
import io.github.rpcrdma4j.iwarp.rdmap.Placement;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the receiving half without a socket: streams of frames in arbitrary pieces, cut short, and
 * corrupted.
 */
class InboundTest {

    /** Four reserved bits of DDP and two of RDMAP. */
    private static final int RESERVED_BITS = 0x3c30;

    private static final int MANY_FRAMES = 10_000;
    private static final byte[] FOUR = Frames.pattern(4, 9);

    /** Returns a stream with frames of every kind; {@link #EVERYTHING_SEEN} has its effects. */
    private static byte[] everything(Receiver at, boolean crcs, List<Integer> ends) {
        var frames = new Frames(crcs);
        int target = at.target.handle();
        long address = at.target.address();
        Runnable end = () -> ends.add(frames.size());
        frames.write(target, address, false, Frames.pattern(301, 1));
        end.run();
        frames.send(DdpSegment.SEND, 0, 0, false, Frames.pattern(150, 2));
        end.run();
        frames.write(target, address + 301, true, Frames.pattern(2, 3));
        end.run();
        frames.send(DdpSegment.SEND, 0, 150, true, Frames.pattern(150, 4));
        end.run();
        frames.write(0, 0, true, new byte[0]);
        end.run();
        frames.send(new byte[0]);
        end.run();
        frames.readResponse(at.sink.handle(), at.sink.address() + 50, false, Frames.pattern(33, 5));
        end.run();
        frames.readRequest(new ReadRequest(5, 6, 77, at.source.handle(), at.source.address() + 9));
        end.run();
        frames.readResponse(at.sink.handle(), at.sink.address() + 83, true, Frames.pattern(67, 6));
        end.run();
        frames.send(
                DdpSegment.SEND_INVALIDATE_SOLICITED,
                at.doomed.handle(),
                0,
                true,
                Frames.pattern(7, 7));
        end.run();
        frames.readResponse(at.sink.handle(), at.sink.address() + 50, true, new byte[0]);
        end.run();
        frames.readRequest(new ReadRequest(5, 6, 0, 1, 2));
        end.run();
        frames.send(DdpSegment.SEND_SOLICITED, 0, 0, true, Frames.pattern(1, 8));
        end.run();
        return frames.bytes();
    }

    private static final List<String> EVERYTHING_SEEN =
            List.of(
                    "received 0 of 300 3",
                    "received 1 of 0 3",
                    "read request for 77",
                    "read 100",
                    "received 2 of 7 6",
                    "read 0",
                    "read request for 0",
                    "received 3 of 1 5");

    private static IntSupplier whole() {
        return () -> Integer.MAX_VALUE;
    }

    private static void takesEverything(boolean crcs, IntSupplier pieces) throws Exception {
        var receiver = new Receiver(crcs);
        byte[] stream = everything(receiver, crcs, new ArrayList<>());
        assertEquals("Closed[orderly=true]", receiver.take(stream, pieces));
        assertEquals(EVERYTHING_SEEN, receiver.seen);
        var reference = new Receiver(crcs);
        reference.take(stream);
        assertArrayEquals(reference.memory(), receiver.memory());
        assertEquals(2, receiver.windows.size());
        assertArrayEquals(
                Frames.pattern(301, 1),
                receiver.target.segment().asSlice(0, 301).toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(
                Frames.pattern(67, 6),
                receiver.sink.segment().asSlice(83, 67).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    @Tag("5041-5.4-1")
    @Tag("5041-5.4-2")
    @Tag("5044-4.1-4")
    @Tag("5041-5.1.2-1")
    @Tag("5040-5.3-4")
    void takesEveryKindOfFrame() throws Exception {
        takesEverything(true, whole());
        takesEverything(false, whole());
    }

    /**
     * Goal: the result does not depend on where TCP cuts the stream. Method: one cut at every
     * position, then pieces of one to three bytes.
     */
    @Test
    @Tag("5044-5.2-1")
    void takesAStreamCutAnywhere() throws Exception {
        int length = everything(new Receiver(true), true, new ArrayList<>()).length;
        for (int at = 1; at < length; at++) {
            var lengths = List.of(at, length).iterator();
            takesEverything(true, lengths::next);
        }
        takesEverything(true, () -> 1);
        takesEverything(true, () -> 2);
        takesEverything(true, () -> 3);
    }

    @Test
    void takesAStreamInRandomPieces() throws Exception {
        var random = new Random(Seeds.one());
        for (int i = 0; i < 300; i++) {
            takesEverything(random.nextBoolean(), () -> 1 + random.nextInt(80));
        }
    }

    @Test
    @Tag("5044-7.2-1")
    void distinguishesAnOrderlyEndFromACutFrame() throws Exception {
        var ends = new ArrayList<Integer>();
        byte[] stream = everything(new Receiver(true), true, ends);
        ends.add(0);
        for (int length = 0; length < stream.length; length++) {
            byte[] cut = Arrays.copyOf(stream, length);
            assertEquals(
                    "Closed[orderly=" + ends.contains(length) + "]", new Receiver(true).take(cut));
        }
    }

    /**
     * Goal: a corrupted byte is always detected. Method: the test changes each byte of a stream in
     * turn. No message may complete from the frame with that byte.
     */
    @Test
    @Tag("5044-4.4-3")
    @Tag("5044-8-2")
    void takesNoFrameWithAWrongByte() throws Exception {
        var ends = new ArrayList<Integer>();
        byte[] stream = everything(new Receiver(true), true, ends);
        int good = 0;
        for (int at = 0; at < stream.length; at++) {
            byte[] corrupted = stream.clone();
            corrupted[at] ^= 0x10;
            if (ends.get(good) <= at) {
                good++;
            }
            var receiver = new Receiver(true);
            var outcome = receiver.take(corrupted);
            assertTrue(
                    outcome.startsWith("Broken") || outcome.equals("Closed[orderly=false]"),
                    "byte " + at + ": " + outcome);
            var reference = new Receiver(true);
            int before = good == 0 ? 0 : ends.get(good - 1);
            reference.take(Arrays.copyOf(stream, before));
            if (!outcome.contains("TOO_LONG")) {
                assertEquals(reference.seen, receiver.seen, "byte " + at);
            }
        }
    }

    @Test
    void survivesRandomBytes() throws Exception {
        var random = new Random(Seeds.one());
        for (int i = 0; i < 2000; i++) {
            byte[] stream = new byte[random.nextInt(400)];
            random.nextBytes(stream);
            new Receiver(random.nextBoolean()).take(stream);
        }
    }

    private static void takesASend(boolean crcs, byte[] stream) throws Exception {
        var receiver = new Receiver(crcs);
        assertEquals("Closed[orderly=true]", receiver.take(stream));
        assertEquals(List.of("received 0 of 5 3"), receiver.seen);
    }

    /** Five bytes after a header of 18 need three bytes of padding, which the CRC covers. */
    @Test
    @Tag("5044-4.1-3")
    void takesPaddingOfAnyContent() throws Exception {
        byte[] stream = new Frames(true).send(Frames.pattern(5, 1)).bytes();
        int padding = Fpdu.LENGTH_BYTES + DdpSegment.UNTAGGED_BYTES + 5;
        Arrays.fill(stream, padding, padding + 3, (byte) 0xaa);
        var crc = new CRC32C();
        crc.update(stream, 0, padding + 3);
        ByteBuffer.wrap(stream)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(padding + 3, (int) crc.getValue());
        takesASend(true, stream);
    }

    @Test
    @Tag("5044-4.1-5")
    void takesAnyCrcWhereNoneWasAgreedOn() throws Exception {
        byte[] stream = new Frames(false).send(Frames.pattern(5, 1)).bytes();
        Arrays.fill(stream, stream.length - Fpdu.CRC_BYTES, stream.length, (byte) 0xaa);
        takesASend(false, stream);
        var strict = new Receiver(true);
        assertTrue(strict.take(stream).startsWith("Broken[fault=CRC,"));
        assertEquals(List.of(), strict.seen);
    }

    @Test
    @Tag("5041-4.1-2")
    void takesReservedBitsOfAnyValue() throws Exception {
        var receiver = new Receiver(true);
        var frames = new Frames(true);
        int tagged = DdpSegment.control(true, true, DdpSegment.WRITE) | RESERVED_BITS;
        frames.add(
                new DdpSegment.Tagged(tagged, receiver.target.handle(), receiver.target.address()),
                FOUR);
        int untagged = DdpSegment.control(false, true, DdpSegment.SEND) | RESERVED_BITS;
        frames.add(new DdpSegment.Untagged(untagged, 0, 0, 1, 0), FOUR);
        assertEquals("Closed[orderly=true]", receiver.take(frames.bytes()));
        assertEquals(List.of("received 0 of 4 3"), receiver.seen);
        assertArrayEquals(
                FOUR, receiver.target.segment().asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void endsWhenTheDomainIsClosedUnderAMessage() throws Exception {
        var receiver = new Receiver(true);
        receiver.begin(new Frames(true).send(DdpSegment.SEND, 0, 0, false, FOUR).bytes());
        receiver.domain.close();
        byte[] placed = receiver.memory();
        var rest = new Frames(true).send(DdpSegment.SEND, 0, 4, true, FOUR);
        assertTrue(receiver.take(rest.bytes()).startsWith("Ended"));
        assertEquals(List.of("LOCAL_ACCESS_ERROR 0"), receiver.seen);
        assertArrayEquals(placed, receiver.memory());
    }

    @Test
    void endsWhenASinkIsInvalidatedUnderAResponse() throws Exception {
        var receiver = new Receiver(true);
        var frames =
                new Frames(true)
                        .readResponse(
                                receiver.sink.handle(), receiver.sink.address() + 50, false, FOUR);
        receiver.sink.region().close();
        assertTrue(receiver.take(frames.bytes()).startsWith("Ended"));
        assertEquals(List.of("sink invalidated"), receiver.seen);
        assertArrayEquals(
                new byte[Receiver.REGION_BYTES],
                receiver.sink.segment().toArray(ValueLayout.JAVA_BYTE));
    }

    /** Goal: allocation does not grow with the number of frames of a message. */
    @Test
    void makesNoObjectsForTheFramesOfAMessage() throws Exception {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var receiver = new Receiver(true);
        var warm = new Frames(true);
        int handle = receiver.target.handle();
        long address = receiver.target.address();
        byte[] payload = Frames.pattern(64, 1);
        receiver.begin(warm.write(handle, address, false, payload).bytes());
        var frames = new Frames(true);
        for (int i = 0; i < MANY_FRAMES; i++) {
            frames.write(handle, address + i % 60 * 64, false, payload);
        }
        byte[] stream = frames.bytes();
        long before = threads.getCurrentThreadAllocatedBytes();
        receiver.begin(stream);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < 4 * MANY_FRAMES, "bytes allocated: " + allocated);
    }

    @Test
    void takesTheLongestFrame() throws Exception {
        var domain = new SoftwareDomain(new Random(7));
        var windows = domain.windows();
        var region =
                Open.of(domain, windows, Arena.ofAuto().allocate(1 << 16), Access.REMOTE_WRITE);
        byte[] payload = Frames.pattern(0xffff - DdpSegment.TAGGED_BYTES, 1);
        var frames = new Frames(true).write(region.handle(), region.address(), true, payload);
        var receiver = new Receiver(true);
        var inbound =
                new Inbound(
                        new Placement(windows, receiver.receives, receiver, false),
                        true,
                        new ScratchPool());
        var dribble = new Dribble(frames.bytes(), () -> 1448);
        Outcome outcome;
        do {
            dribble.arrive();
            outcome = inbound.read(dribble, Inbound.TURN_BYTES);
        } while (outcome instanceof Outcome.More);
        assertEquals(new Outcome.Closed(true), outcome);
        assertArrayEquals(
                payload,
                region.segment().asSlice(0, payload.length).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Goal: a peer with the shortest frames keeps the thread from others no longer than any. */
    @Test
    void aTurnHasAsManyReadsAsItHasRoomForLongOnes() throws Exception {
        var receiver = new Receiver(true);
        var frames = new Frames(true);
        for (int i = 0; i < MANY_FRAMES; i++) {
            frames.write(receiver.target.handle(), receiver.target.address(), false, new byte[0]);
        }
        for (int reads : List.of(1, 4, 100)) {
            var inbound =
                    new Inbound(
                            new Placement(receiver.windows, receiver.receives, receiver, false),
                            true,
                            new ScratchPool());
            var dribble = new Dribble(frames.bytes(), () -> Integer.MAX_VALUE);
            dribble.arrive();
            assertEquals(
                    new Outcome.More(), inbound.read(dribble, (long) reads * Inbound.READ_BYTES));
            assertEquals(reads, dribble.reads());
        }
    }

    @Test
    void manyConnectionsHaveShortTurns() {
        assertEquals(Inbound.TURN_BYTES, IwarpCompletionQueue.turnBytes(0));
        assertEquals(Inbound.TURN_BYTES, IwarpCompletionQueue.turnBytes(1));
        for (int connections : List.of(64, 1024, 4096)) {
            long turn = IwarpCompletionQueue.turnBytes(connections);
            assertTrue(turn >= Inbound.READ_BYTES, "" + turn);
            assertTrue(turn * connections <= 64 << 20, "" + turn);
        }
        assertEquals(Inbound.READ_BYTES, IwarpCompletionQueue.turnBytes(1 << 20));
    }

    @Test
    void isMidMessageUntilTheLastFrameIsWhole() throws Exception {
        var ends = new ArrayList<Integer>();
        byte[] stream = everything(new Receiver(true), true, ends);
        var messageEnds = new ArrayList<Integer>();
        for (int frame = 0; frame < ends.size(); frame++) {
            // A Write, a Send and a Read Response have two frames each.
            if (frame != 0 && frame != 1 && frame != 6) {
                messageEnds.add(ends.get(frame));
            }
        }
        for (int length = 1; length <= stream.length; length++) {
            var receiver = new Receiver(true);
            receiver.begin(Arrays.copyOf(stream, length));
            assertEquals(!messageEnds.contains(length), receiver.isMidMessage(), "after " + length);
        }
    }

    @Test
    void reportsThatNothingArrived() throws Exception {
        var receiver = new Receiver(true);
        receiver.begin(Arrays.copyOf(everything(new Receiver(true), true, new ArrayList<>()), 100));
        assertEquals("Nothing[]", receiver.findNothing());
    }
}
