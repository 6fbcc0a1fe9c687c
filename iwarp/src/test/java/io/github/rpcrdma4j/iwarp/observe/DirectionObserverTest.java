package io.github.rpcrdma4j.iwarp.observe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Crc;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Message;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Seen;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests a third party's view of one direction, frame by frame. */
class DirectionObserverTest {
    private static final MpaFrame SET_UP =
            new MpaFrame(false, false, true, false, 2, Optional.empty(), new byte[] {1, 2, 3});

    private static byte[] fpdu(DdpSegment header, byte[] payload) {
        int length = DdpSegment.headerBytes(header.control()) + payload.length;
        var out = ByteBuffer.allocate(Fpdu.length(length)).putShort((short) length);
        header.encode(out);
        out.put(payload).position(out.limit() - Fpdu.CRC_BYTES);
        int crc = new Fpdu(out.duplicate().rewind()).crcComputed();
        return out.order(ByteOrder.LITTLE_ENDIAN).putInt(crc).array();
    }

    private static DdpSegment send(boolean last, int sequence, int offset) {
        int control = DdpSegment.control(false, last, DdpSegment.SEND);
        return new DdpSegment.Untagged(control, 0, 0, sequence, offset);
    }

    private static byte[] readRequest() {
        return readRequest(1);
    }

    private static byte[] readRequest(int sequence) {
        var message = ByteBuffer.allocate(ReadRequest.BYTES);
        new ReadRequest(1, 2, 3, 4, 5).encode(message);
        int control = DdpSegment.control(false, true, DdpSegment.READ_REQUEST);
        return fpdu(new DdpSegment.Untagged(control, 0, 1, sequence, 0), message.array());
    }

    private static byte[] terminate() {
        var message = ByteBuffer.allocate(Terminate.BYTES);
        Terminate.of(Fault.NO_BUFFER).encode(message, null);
        int control = DdpSegment.control(false, true, DdpSegment.TERMINATE);
        return fpdu(new DdpSegment.Untagged(control, 0, 2, 1, 0), message.array());
    }

    private static byte[] write() {
        int control = DdpSegment.control(true, true, DdpSegment.WRITE);
        return fpdu(new DdpSegment.Tagged(control, 7, 8), new byte[9]);
    }

    /** Returns a set-up frame and a frame of every kind. */
    private static byte[] stream() {
        var out = new ByteArrayOutputStream();
        out.writeBytes(SET_UP.encode());
        out.writeBytes(fpdu(send(false, 1, 0), new byte[] {1, 2, 3}));
        out.writeBytes(fpdu(send(true, 1, 3), new byte[] {4}));
        out.writeBytes(readRequest());
        out.writeBytes(write());
        out.writeBytes(fpdu(send(true, 2, 0), new byte[0]));
        out.writeBytes(terminate());
        return out.toByteArray();
    }

    private static List<Seen> all(byte[] bytes, int step) {
        var observer = new DirectionObserver(true);
        observer.agreed(true);
        var seen = new ArrayList<Seen>();
        for (int at = 0; at < bytes.length; at += step) {
            observer.add(ByteBuffer.wrap(bytes, at, Math.min(step, bytes.length - at)));
            for (var next = observer.next(); next != null; next = observer.next()) {
                seen.add(next);
            }
        }
        return seen;
    }

    @Test
    void decodesAStreamIndependentlyOfItsCuts() {
        byte[] bytes = stream();
        for (int step : new int[] {bytes.length, 1, 2, 7, 50}) {
            var seen = all(bytes, step);
            assertEquals(7, seen.size());
            assertEquals(23, assertInstanceOf(Seen.SetUp.class, seen.getFirst()).length());
            var messages = new ArrayList<Message>();
            for (var each : seen.subList(1, 7)) {
                var segment = assertInstanceOf(Seen.Segment.class, each);
                assertTrue(segment.isSound());
                assertEquals(Crc.RIGHT, segment.crc());
                segment.message().ifPresent(messages::add);
            }
            var first = assertInstanceOf(Message.Send.class, messages.get(0));
            assertArrayEquals(new byte[] {1, 2, 3, 4}, first.bytes());
            assertEquals(new Message.Read(new ReadRequest(1, 2, 3, 4, 5)), messages.get(1));
            assertInstanceOf(Message.Send.class, messages.get(2));
            assertEquals(new Message.End(Terminate.of(Fault.NO_BUFFER)), messages.get(3));
        }
    }

    private static List<Fault> faults(DdpSegment header, int payload) {
        var observer = new DirectionObserver(true);
        observer.agreed(true);
        observer.add(ByteBuffer.wrap(SET_UP.encode()));
        observer.next();
        observer.add(ByteBuffer.wrap(fpdu(header, new byte[payload])));
        return assertInstanceOf(Seen.Segment.class, observer.next()).faults();
    }

    private static DdpSegment untagged(int control, int queue, int sequence, int offset) {
        return new DdpSegment.Untagged(control, 0, queue, sequence, offset);
    }

    @Test
    void reportsTheFaultsOfHeaders() {
        int send = DdpSegment.control(false, true, DdpSegment.SEND);
        int read = DdpSegment.control(false, true, DdpSegment.READ_REQUEST);
        int terminate = DdpSegment.control(false, true, DdpSegment.TERMINATE);
        int write = DdpSegment.control(true, true, DdpSegment.WRITE);
        int ddp = 3 << DdpSegment.DDP_VERSION_SHIFT;
        int rdmap = 3 << DdpSegment.RDMAP_VERSION_SHIFT;
        assertEquals(List.of(), faults(untagged(send, 0, 1, 0), 4));
        assertEquals(List.of(Fault.UNTAGGED_VERSION), faults(untagged(send ^ ddp, 0, 1, 0), 4));
        assertEquals(List.of(Fault.RDMAP_VERSION), faults(untagged(send ^ rdmap, 0, 1, 0), 4));
        assertEquals(List.of(Fault.INVALID_QUEUE), faults(untagged(send, 1, 1, 0), 4));
        assertEquals(List.of(Fault.INVALID_SEQUENCE), faults(untagged(send, 0, 2, 0), 4));
        assertEquals(List.of(Fault.INVALID_OFFSET), faults(untagged(send, 0, 1, 4), 4));
        assertEquals(List.of(Fault.UNEXPECTED_OPCODE), faults(untagged(send | 8, 0, 1, 0), 4));
        assertEquals(List.of(), faults(untagged(read, 1, 1, 0), 28));
        assertEquals(List.of(Fault.INVALID_QUEUE), faults(untagged(read, 0, 1, 0), 28));
        assertEquals(List.of(Fault.INVALID_SEQUENCE), faults(untagged(read, 1, 0, 0), 28));
        assertEquals(List.of(Fault.INVALID_OFFSET), faults(untagged(read, 1, 1, 1), 28));
        assertEquals(List.of(Fault.FRAMING), faults(untagged(read, 1, 1, 0), 27));
        assertEquals(List.of(Fault.FRAMING), faults(untagged(terminate, 2, 1, 0), 3));
        var tagged = new DdpSegment.Tagged(write, 1, 2);
        assertEquals(List.of(), faults(tagged, 0));
        assertEquals(
                List.of(Fault.TAGGED_VERSION), faults(new DdpSegment.Tagged(write ^ ddp, 1, 2), 0));
        assertEquals(
                List.of(Fault.RDMAP_VERSION),
                faults(new DdpSegment.Tagged(write ^ rdmap, 1, 2), 0));
        assertEquals(
                List.of(Fault.UNEXPECTED_OPCODE),
                faults(new DdpSegment.Tagged(write | DdpSegment.SEND, 1, 2), 0));
    }

    private static List<Fault> faults(DirectionObserver observer, DdpSegment header, int payload) {
        return segment(observer, header, payload).faults();
    }

    private static Seen.Segment segment(
            DirectionObserver observer, DdpSegment header, int payload) {
        observer.add(ByteBuffer.wrap(fpdu(header, new byte[payload])));
        return assertInstanceOf(Seen.Segment.class, observer.next());
    }

    /** Goal: one fault for a Send that is too long, wherever it ends, and none for the next. */
    @Test
    void reportsASendThatIsTooLongOnceAndGoesOn() {
        for (int more : new int[] {0, 1, 2}) {
            var observer = new DirectionObserver(false);
            int piece = 1 << 15;
            int pieces = DirectionObserver.SEND_MAX / piece;
            for (int i = 0; i < pieces; i++) {
                assertEquals(List.of(), faults(observer, send(false, 1, i * piece), piece));
            }
            for (int i = 0; i <= more; i++) {
                int at = (pieces + i) * piece;
                assertEquals(
                        i == 0 ? List.of(Fault.MESSAGE_TOO_LONG) : List.of(),
                        faults(observer, send(i == more, 1, at), piece));
            }
            assertEquals(List.of(), faults(observer, send(true, 2, 0), 3));
        }
    }

    /** Goal: one fault for a hole in a Send, and no message from the bytes around it. */
    @Test
    void blamesOnlyTheSegmentAtAWrongOffset() {
        for (int last : new int[] {200, 300}) {
            var observer = new DirectionObserver(false);
            assertEquals(List.of(), faults(observer, send(false, 1, 0), 100));
            assertEquals(List.of(Fault.INVALID_OFFSET), faults(observer, send(false, 1, 200), 100));
            var end = segment(observer, send(true, 1, last), 100);
            assertEquals(last == 300, end.isSound());
            assertEquals(Optional.empty(), end.message());
            var next = segment(observer, send(true, 2, 0), 100);
            assertTrue(next.isSound());
            assertTrue(next.message().isPresent());
        }
    }

    /** Goal: no message from the bytes of a damaged segment, whichever of its Send it is. */
    @Test
    void returnsNoSendInWhichASegmentWasDamaged() {
        for (int damaged = 0; damaged < 2; damaged++) {
            var observer = new DirectionObserver(true);
            observer.agreed(true);
            observer.add(ByteBuffer.wrap(SET_UP.encode()));
            observer.next();
            for (int i = 0; i < 2; i++) {
                byte[] frame = fpdu(send(i == 1, 1, 100 * i), new byte[100]);
                frame[50] ^= (byte) (i == damaged ? 1 : 0);
                observer.add(ByteBuffer.wrap(frame));
                var segment = assertInstanceOf(Seen.Segment.class, observer.next());
                assertEquals(i != damaged, segment.isSound());
                assertEquals(Optional.empty(), segment.message());
            }
            assertTrue(segment(observer, send(true, 2, 0), 100).message().isPresent());
        }
    }

    @Test
    void judgesCrcsByWhatWasAgreed() {
        byte[] wrong = write();
        wrong[wrong.length - 1] ^= 1;
        assertEquals(Crc.WRONG, crc(wrong, true));
        assertEquals(Crc.ABSENT, crc(wrong, false));
        assertEquals(Crc.UNKNOWN, crc(wrong, null));
        assertEquals(Crc.RIGHT, crc(write(), null));
    }

    private static Crc crc(byte[] fpdu, Boolean agreed) {
        var observer = new DirectionObserver(false);
        if (agreed != null) {
            observer.agreed(agreed);
        }
        observer.add(ByteBuffer.wrap(fpdu));
        var segment = assertInstanceOf(Seen.Segment.class, observer.next());
        assertEquals(segment.crc() == Crc.WRONG, segment.faults().contains(Fault.CRC));
        return segment.crc();
    }

    @Test
    void resumesAfterAFrameThatIsTooShort() {
        var observer = new DirectionObserver(false);
        observer.add(ByteBuffer.allocate(100));
        assertInstanceOf(Seen.Lost.class, observer.next());
        assertNull(observer.next());
        observer.resume();
        assertEquals(0, observer.pending());
        // The number of missed messages is unknown.
        observer.add(ByteBuffer.wrap(fpdu(send(true, 77, 0), new byte[3])));
        assertTrue(assertInstanceOf(Seen.Segment.class, observer.next()).isSound());
    }

    /**
     * Goal: a direction that is seen from the middle of a Send has no faults for what was missed.
     * Send and Read Request are numbered separately.
     */
    @Test
    void findsNoFaultInADirectionSeenFromTheMiddle() {
        var observer = new DirectionObserver(false);
        observer.add(ByteBuffer.wrap(fpdu(send(false, 77, 40), new byte[3])));
        observer.add(ByteBuffer.wrap(fpdu(send(true, 77, 43), new byte[3])));
        observer.add(ByteBuffer.wrap(readRequest(55)));
        observer.add(ByteBuffer.wrap(fpdu(send(true, 78, 0), new byte[3])));
        var messages = new ArrayList<Optional<Message>>();
        for (var next = observer.next(); next != null; next = observer.next()) {
            var segment = assertInstanceOf(Seen.Segment.class, next);
            assertEquals(List.of(), segment.faults());
            messages.add(segment.message());
        }
        assertEquals(
                List.of(false, false, true, true),
                messages.stream().map(Optional::isPresent).toList());
        observer.add(ByteBuffer.wrap(readRequest(57)));
        assertEquals(
                List.of(Fault.INVALID_SEQUENCE),
                assertInstanceOf(Seen.Segment.class, observer.next()).faults());
    }

    @Test
    void recognizesTheStartOfAFrame() {
        assertTrue(FrameReader.isLikelyStart(ByteBuffer.wrap(write())));
        assertTrue(FrameReader.isLikelyStart(ByteBuffer.wrap(readRequest())));
        assertEquals(false, FrameReader.isLikelyStart(ByteBuffer.allocate(100)));
        assertEquals(false, FrameReader.isLikelyStart(ByteBuffer.wrap(SET_UP.encode())));
        assertEquals(false, FrameReader.isLikelyStart(ByteBuffer.wrap(write(), 0, 15)));
    }

    /** Goal: the observer survives any bytes. Method: all prefixes, all values of all bytes. */
    @Test
    void survivesEveryTruncationAndCorruptByte() {
        byte[] bytes = stream();
        for (int at = 0; at < bytes.length; at++) {
            assertTrue(all(Arrays.copyOf(bytes, at), bytes.length).size() < 7);
            byte right = bytes[at];
            for (int value = 0; value < 256; value++) {
                bytes[at] = (byte) value;
                all(bytes, bytes.length).forEach(each -> assertNotNull(each));
            }
            bytes[at] = right;
        }
    }
}
