package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.iwarp.tcp.Inbound.Outcome;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The receiving half without a socket: streams of frames in any pieces, cut short, corrupted, and
 * with every rule broken once.
 */
class InboundTest {
    private static final int REGION_BYTES = 4096;
    private static final int RECEIVE_BYTES = 300;

    /** Four bits of DDP and two of RDMAP that mean nothing. */
    private static final int RESERVED_BITS = 0x3c30;

    /** One receiving end, with all that its stream led to. */
    private static final class Receiver implements Placement.Effects {
        private final SoftwareDomain domain = new SoftwareDomain(new Random(7));
        private final SoftwareRegion target = register(Access.REMOTE_WRITE);
        private final SoftwareRegion source = register(Access.REMOTE_READ);
        private final SoftwareRegion sink = register(Access.LOCAL_WRITE);
        private final SoftwareRegion doomed = register(Access.REMOTE_READ);
        private final ReceiveQueue receives = new ReceiveQueue(8);
        private final ArrayDeque<SendElement> reads = new ArrayDeque<>();
        private final List<MemorySegment> buffers = new ArrayList<>();
        private final List<String> seen = new ArrayList<>();
        private final Inbound inbound;

        Receiver(boolean crcs) {
            for (int i = 0; i < 4; i++) {
                var buffer = Arena.ofAuto().allocate(RECEIVE_BYTES);
                buffers.add(buffer);
                receives.add(new ReceiveQueue.Posted(i, buffer));
            }
            reads.add(read(100));
            reads.add(read(0));
            inbound = new Inbound(new Placement(domain, receives, this, false), crcs);
        }

        private SendElement read(int length) {
            return SendElement.of(new WorkRequest.Read(length, sink, 50, length, 1, 1));
        }

        private SoftwareRegion register(Access access) {
            return domain.register(Arena.ofAuto().allocate(REGION_BYTES), EnumSet.of(access));
        }

        /** Takes a whole stream in the given pieces and says how it ended. */
        String take(byte[] stream, IntSupplier pieces) throws Exception {
            var dribble = new Dribble(stream, pieces);
            while (true) {
                dribble.arrive();
                var outcome = inbound.read(dribble);
                if (!(outcome instanceof Outcome.More)) {
                    return outcome.toString();
                }
            }
        }

        /** All octets that a peer could reach. */
        byte[] memory() {
            var all = new byte[REGION_BYTES * 2 + 4 * RECEIVE_BYTES];
            copy(target.segment(), all, 0);
            copy(sink.segment(), all, REGION_BYTES);
            for (int i = 0; i < 4; i++) {
                copy(buffers.get(i), all, 2 * REGION_BYTES + i * RECEIVE_BYTES);
            }
            return all;
        }

        private static void copy(MemorySegment from, byte[] to, int at) {
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, to, at, (int) from.byteSize());
        }

        @Override
        public void received(ReceiveQueue.Posted receive, long length, DdpSegment.Untagged last) {
            seen.add("received " + receive.workRequestId() + " of " + length + " " + last.opcode());
        }

        @Override
        public void receiveTooShort(ReceiveQueue.Posted receive) {
            seen.add("too short " + receive.workRequestId());
        }

        @Override
        public boolean readRequested(SendElement response) {
            seen.add("asked for " + response.length());
            return response.length() < 1000;
        }

        @Override
        public SendElement oldestRead() {
            return reads.peekFirst();
        }

        @Override
        public void readDone() {
            seen.add("read " + reads.removeFirst().length());
        }

        @Override
        public void sinkGone() {
            seen.add("sink gone");
        }

        @Override
        public void frame() {}

        @Override
        public void terminated(Terminate terminate) {
            seen.add("terminated " + terminate);
        }
    }

    /** One of everything, with what it leads to. */
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
                    "asked for 77",
                    "read 100",
                    "received 2 of 7 6",
                    "read 0",
                    "asked for 0",
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
        reference.take(stream, whole());
        assertArrayEquals(reference.memory(), receiver.memory());
        assertEquals(3, receiver.domain.registeredRegions());
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
     * Goal: where TCP cuts the stream makes no difference. Method: every place, then each octet.
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
    void tellsAnOrderlyEndFromACutFrame() throws Exception {
        var ends = new ArrayList<Integer>();
        byte[] stream = everything(new Receiver(true), true, ends);
        ends.add(0);
        for (int length = 0; length < stream.length; length++) {
            byte[] cut = Arrays.copyOf(stream, length);
            assertEquals(
                    "Closed[orderly=" + ends.contains(length) + "]",
                    new Receiver(true).take(cut, whole()));
        }
    }

    /**
     * Goal: a corrupted octet is never taken for a good one. Method: each octet of a stream is
     * changed; no message may complete from the frame in which it lies.
     */
    @Test
    @Tag("5044-4.4-3")
    @Tag("5044-8-2")
    void takesNoFrameWithAWrongOctet() throws Exception {
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
            var outcome = receiver.take(corrupted, whole());
            assertTrue(
                    outcome.startsWith("Broken") || outcome.equals("Closed[orderly=false]"),
                    "octet " + at + ": " + outcome);
            var reference = new Receiver(true);
            int before = good == 0 ? 0 : ends.get(good - 1);
            reference.take(Arrays.copyOf(stream, before), whole());
            if (!outcome.contains("TOO_LONG")) {
                assertEquals(reference.seen, receiver.seen, "octet " + at);
            }
        }
    }

    @Test
    void survivesRandomOctets() throws Exception {
        var random = new Random(Seeds.one());
        for (int i = 0; i < 2000; i++) {
            byte[] stream = new byte[random.nextInt(400)];
            random.nextBytes(stream);
            new Receiver(random.nextBoolean()).take(stream, whole());
        }
    }

    private static void takesASend(boolean crcs, byte[] stream) throws Exception {
        var receiver = new Receiver(crcs);
        assertEquals("Closed[orderly=true]", receiver.take(stream, whole()));
        assertEquals(List.of("received 0 of 5 3"), receiver.seen);
    }

    /** Five octets behind a header of 18 take three of padding, which is in the CRC. */
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
        assertTrue(strict.take(stream, whole()).startsWith("Broken[fault=CRC,"));
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
        assertEquals("Closed[orderly=true]", receiver.take(frames.bytes(), whole()));
        assertEquals(List.of("received 0 of 4 3"), receiver.seen);
        assertArrayEquals(
                FOUR, receiver.target.segment().asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE));
    }

    private interface Wrong {
        void frames(Receiver at, Frames frames);
    }

    private static void breaks(Fault fault, Wrong wrong) throws Exception {
        var receiver = new Receiver(true);
        var frames = new Frames(true);
        wrong.frames(receiver, frames);
        var outcome = receiver.take(frames.bytes(), whole());
        assertTrue(outcome.startsWith("Broken[fault=" + fault + ","), outcome);
    }

    private static DdpSegment.Untagged untagged(int control, int queue, int sequence, int offset) {
        return new DdpSegment.Untagged(control, 0, queue, sequence, offset);
    }

    private static final byte[] FOUR = Frames.pattern(4, 9);
    private static final byte[] REQUEST = new byte[ReadRequest.BYTES];

    @Test
    @Tag("5041-7.1-5")
    @Tag("5041-7.1-6")
    @Tag("5041-7.1-7")
    @Tag("5041-7.1-8")
    @Tag("5041-7.1-9")
    @Tag("5041-7.1-10")
    @Tag("5040-4.1-2")
    @Tag("5040-4.1-3")
    @Tag("5040-4.1-5")
    @Tag("5040-5.3-3")
    void namesTheFaultOfEveryWrongUntaggedFrame() throws Exception {
        breaks(Fault.UNTAGGED_VERSION, (_, out) -> out.add(untagged(0x4043, 0, 1, 0), FOUR));
        breaks(Fault.RDMAP_VERSION, (_, out) -> out.add(untagged(0x4103, 0, 1, 0), FOUR));
        breaks(Fault.UNEXPECTED_OPCODE, (_, out) -> out.add(untagged(0x4140, 0, 1, 0), FOUR));
        breaks(Fault.UNEXPECTED_OPCODE, (_, out) -> out.add(untagged(0x4148, 0, 1, 0), FOUR));
        breaks(Fault.INVALID_QUEUE, (_, out) -> out.add(untagged(0x4143, 1, 1, 0), FOUR));
        breaks(Fault.INVALID_QUEUE, (_, out) -> out.add(untagged(0x4143, 3, 1, 0), FOUR));
        breaks(Fault.INVALID_SEQUENCE, (_, out) -> out.add(untagged(0x4143, 0, 0, 0), FOUR));
        breaks(Fault.INVALID_SEQUENCE, (_, out) -> out.add(untagged(0x4143, 0, 2, 0), FOUR));
        breaks(
                Fault.INVALID_SEQUENCE,
                (_, out) -> out.send(FOUR).add(untagged(0x4143, 0, 1, 0), FOUR));
        breaks(Fault.INVALID_OFFSET, (_, out) -> out.add(untagged(0x4143, 0, 1, 4), FOUR));
        breaks(
                Fault.INVALID_OFFSET,
                (_, out) ->
                        out.add(untagged(0x143, 0, 1, 0), FOUR)
                                .add(untagged(0x4143, 0, 1, 3), FOUR));
        breaks(Fault.MESSAGE_TOO_LONG, (_, out) -> out.send(new byte[RECEIVE_BYTES + 1]));
        breaks(
                Fault.NO_BUFFER,
                (_, out) -> out.send(FOUR).send(FOUR).send(FOUR).send(FOUR).send(FOUR));
        breaks(
                Fault.CANNOT_INVALIDATE,
                (_, out) -> out.send(DdpSegment.SEND_INVALIDATE, 4711, 0, true, FOUR));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x4141, 1, 1, 0), FOUR));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x141, 1, 1, 0), REQUEST));
        breaks(Fault.INVALID_QUEUE, (_, out) -> out.add(untagged(0x4141, 0, 1, 0), REQUEST));
        breaks(Fault.INVALID_SEQUENCE, (_, out) -> out.add(untagged(0x4141, 1, 2, 0), REQUEST));
        breaks(Fault.INVALID_OFFSET, (_, out) -> out.add(untagged(0x4141, 1, 1, 1), REQUEST));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x4147, 2, 1, 0), new byte[3]));
        breaks(Fault.FRAMING, (_, out) -> out.add(untagged(0x4147, 2, 1, 0), new byte[200]));
    }

    @Test
    @Tag("5041-7.1-1")
    @Tag("5041-7.1-3")
    @Tag("5041-7.1-4")
    @Tag("5041-7.1-5")
    @Tag("5040-5.1-1")
    @Tag("5040-4.1-2")
    void namesTheFaultOfEveryWrongWrite() throws Exception {
        breaks(
                Fault.TAGGED_VERSION,
                (at, out) ->
                        out.add(
                                new DdpSegment.Tagged(
                                        0xc240, at.target.handle(), at.target.address()),
                                FOUR));
        breaks(
                Fault.RDMAP_VERSION,
                (at, out) ->
                        out.add(
                                new DdpSegment.Tagged(
                                        0xc180, at.target.handle(), at.target.address()),
                                FOUR));
        breaks(
                Fault.UNEXPECTED_OPCODE,
                (at, out) -> out.add(new DdpSegment.Tagged(0xc143, at.target.handle(), 0), FOUR));
        breaks(
                Fault.WRITE_INVALID_STAG,
                (at, out) -> out.write(at.target.handle() + 1, at.target.address(), true, FOUR));
        breaks(
                Fault.ACCESS_VIOLATION,
                (at, out) -> out.write(at.source.handle(), at.source.address(), true, FOUR));
        for (long offset : new long[] {-1, REGION_BYTES - 3, REGION_BYTES + 1, Long.MIN_VALUE}) {
            breaks(
                    Fault.WRITE_OUT_OF_BOUNDS,
                    (at, out) ->
                            out.write(
                                    at.target.handle(), at.target.address() + offset, true, FOUR));
        }
    }

    @Test
    @Tag("5040-5.2.1-2")
    @Tag("5040-5.2.2-2")
    void namesTheFaultOfEveryWrongRead() throws Exception {
        breaks(
                Fault.READ_INVALID_STAG,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(
                                        1, 1, 4, at.source.handle() + 1, at.source.address())));
        breaks(
                Fault.ACCESS_VIOLATION,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(1, 1, 4, at.target.handle(), at.target.address())));
        breaks(
                Fault.READ_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(
                                        1, 1, -1, at.source.handle(), at.source.address())));
        breaks(
                Fault.TOO_MANY_READS,
                (at, out) ->
                        out.readRequest(
                                new ReadRequest(
                                        1, 1, 1000, at.source.handle(), at.source.address())));
        breaks(
                Fault.WRITE_INVALID_STAG,
                (at, out) ->
                        out.readResponse(
                                at.target.handle(), at.sink.address() + 50, true, new byte[100]));
        breaks(
                Fault.WRITE_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readResponse(
                                at.sink.handle(), at.sink.address() + 51, true, new byte[100]));
        breaks(
                Fault.WRITE_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readResponse(
                                at.sink.handle(), at.sink.address() + 50, true, new byte[99]));
        breaks(
                Fault.WRITE_OUT_OF_BOUNDS,
                (at, out) ->
                        out.readResponse(
                                at.sink.handle(), at.sink.address() + 50, false, new byte[100]));
        breaks(
                Fault.UNEXPECTED_OPCODE,
                (at, out) ->
                        out.readResponse(
                                        at.sink.handle(),
                                        at.sink.address() + 50,
                                        true,
                                        new byte[100])
                                .readResponse(
                                        at.sink.handle(), at.sink.address() + 50, true, new byte[0])
                                .readResponse(0, 0, true, new byte[0]));
    }

    @Test
    void refusesAFrameTooShortForItsHeader() throws Exception {
        for (int length = 0; length < 18; length++) {
            byte[] stream = {0, (byte) length, 0x41, 0x43, 0, 0};
            assertEquals(
                    "Broken[fault=FRAMING, offender=null]",
                    new Receiver(true).take(stream, whole()));
        }
    }

    @Test
    void readsTheTerminateMessagesOfBothLayouts() throws Exception {
        for (byte[] message : new byte[][] {{0x12, 3, 0, 0}, {0x21, 3, 3, 0, 0, 28}}) {
            var receiver = new Receiver(true);
            var outcome = receiver.take(new Frames(true).terminate(message).bytes(), whole());
            assertTrue(outcome.startsWith("Ended[why=the peer ended the connection"), outcome);
            assertEquals(List.of("terminated Terminate[layer=1, type=2, code=3]"), receiver.seen);
        }
    }

    @Test
    void endsWhenASinkIsInvalidatedUnderAResponse() throws Exception {
        var receiver = new Receiver(true);
        var frames =
                new Frames(true)
                        .readResponse(
                                receiver.sink.handle(), receiver.sink.address() + 50, false, FOUR);
        receiver.sink.invalidate();
        assertTrue(receiver.take(frames.bytes(), whole()).startsWith("Ended"));
        assertEquals(List.of("sink gone"), receiver.seen);
        assertArrayEquals(
                new byte[REGION_BYTES], receiver.sink.segment().toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void takesTheLongestFrame() throws Exception {
        var domain = new SoftwareDomain(new Random(7));
        var region =
                domain.register(Arena.ofAuto().allocate(1 << 16), EnumSet.of(Access.REMOTE_WRITE));
        byte[] payload = Frames.pattern(0xffff - DdpSegment.TAGGED_BYTES, 1);
        var frames = new Frames(true).write(region.handle(), region.address(), true, payload);
        var receiver = new Receiver(true);
        var inbound = new Inbound(new Placement(domain, receiver.receives, receiver, false), true);
        var dribble = new Dribble(frames.bytes(), () -> 1448);
        Outcome outcome;
        do {
            dribble.arrive();
            outcome = inbound.read(dribble);
        } while (outcome instanceof Outcome.More);
        assertEquals(new Outcome.Closed(true), outcome);
        assertArrayEquals(
                payload,
                region.segment().asSlice(0, payload.length).toArray(ValueLayout.JAVA_BYTE));
    }
}
