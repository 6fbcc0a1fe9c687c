package io.github.rpcrdma4j.iwarp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.sim.capture.Capture;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every octet that Linux put on the wire decodes, and encodes to the same octets again. CRCs are
 * right where they were agreed on, and zero where not.
 *
 * <p>Linux does not always pad with zeros (RFC 5044, Section 4), so the padding is not looked at;
 * the CRC covers what was sent.
 */
class CapturedFramesTest {
    static List<String> captures() {
        return Capture.NAMES;
    }

    @ParameterizedTest
    @MethodSource("captures")
    @Tag("5044-4.1-1")
    @Tag("5044-4.4-1")
    void decodesAndEncodesEveryFrame(String name) throws Exception {
        var capture = Capture.named(name);
        int frames = 0;
        for (var stream : capture.streams()) {
            var setUp = setUp(stream);
            boolean crcs = setUp.frame().crc();
            assertEquals(crcs, setUp(capture.opposite(stream).orElseThrow()).frame().crc());
            assertEquals(name.contains("crc"), crcs);
            frames += frames(ByteBuffer.wrap(stream.bytes()).position(setUp.length()), crcs);
        }
        assertTrue(frames > 100, name + " has only " + frames);
    }

    private static MpaFrame.Decoded.Whole setUp(Capture.Stream stream) {
        var whole =
                assertInstanceOf(
                        MpaFrame.Decoded.Whole.class,
                        MpaFrame.decode(stream.bytes(), stream.bytes().length));
        assertArrayEquals(Arrays.copyOf(stream.bytes(), whole.length()), whole.frame().encode());
        return whole;
    }

    private static int frames(ByteBuffer in, boolean crcs) {
        int count = 0;
        int sends = 1;
        int reads = 1;
        while (in.hasRemaining()) {
            int start = in.position();
            int length = in.getShort() & 0xffff;
            var segment = DdpSegment.decode(in);
            var again = ByteBuffer.allocate(DdpSegment.UNTAGGED_BYTES);
            segment.encode(again);
            assertEquals(in.slice(start + 2, again.position()), again.flip());
            assertEquals(1, segment.ddpVersion());
            assertEquals(1, segment.rdmapVersion());
            if (segment instanceof DdpSegment.Untagged untagged) {
                switch (untagged.queue()) {
                    case DdpSegment.QUEUE_SEND -> {
                        assertEquals(sends, untagged.sequence());
                        sends += untagged.isLast() ? 1 : 0;
                    }
                    case DdpSegment.QUEUE_READ_REQUEST -> {
                        assertEquals(reads++, untagged.sequence());
                        readRequest(in.slice(in.position(), ReadRequest.BYTES));
                    }
                    default -> throw new AssertionError("queue " + untagged.queue());
                }
            }
            int end = start + Fpdu.LENGTH_BYTES + length;
            int padding = Fpdu.padding(length);
            assertEquals(0, (end - start + padding) % 4);
            var crc = new CRC32C();
            crc.update(in.slice(start, end + padding - start));
            int sent = in.order(ByteOrder.LITTLE_ENDIAN).getInt(end + padding);
            in.order(ByteOrder.BIG_ENDIAN);
            assertEquals(crcs ? (int) crc.getValue() : 0, sent);
            in.position(end + Fpdu.trailer(length));
            count++;
        }
        return count;
    }

    private static void readRequest(ByteBuffer message) {
        var again = ByteBuffer.allocate(ReadRequest.BYTES);
        ReadRequest.decode(message.duplicate()).encode(again);
        assertEquals(message, again.flip());
    }
}
