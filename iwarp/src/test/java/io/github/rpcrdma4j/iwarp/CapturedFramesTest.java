package io.github.rpcrdma4j.iwarp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.FrameReader;
import io.github.rpcrdma4j.iwarp.observe.FrameReader.Frame;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: every frame that Linux sent decodes, and encodes to equal bytes. CRCs are right where the
 * sides agreed on them, and zero elsewhere. Method: all captures.
 *
 * <p>Linux does not always pad with zeros (RFC 5044, Section 4), so the test ignores the padding.
 * The CRC covers the sent bytes.
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
            frames += frames(stream, crcs);
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

    private static int frames(Capture.Stream stream, boolean crcs) {
        var reader = new FrameReader(true);
        reader.add(ByteBuffer.wrap(stream.bytes()));
        assertInstanceOf(Frame.SetUp.class, reader.next());
        int count = 0;
        int sends = 1;
        int reads = 1;
        for (var frame = reader.next(); frame != null; frame = reader.next()) {
            var fpdu = assertInstanceOf(Frame.Data.class, frame).fpdu();
            var in = fpdu.ulpdu();
            var segment = DdpSegment.decode(in);
            var again = ByteBuffer.allocate(DdpSegment.UNTAGGED_BYTES);
            segment.encode(again);
            assertEquals(in.slice(0, again.position()), again.flip());
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
            assertEquals(0, fpdu.bytes().remaining() % 4);
            assertEquals(crcs ? fpdu.crcComputed() : 0, fpdu.crcSent());
            count++;
        }
        assertEquals(0, reader.pending());
        return count;
    }

    private static void readRequest(ByteBuffer message) {
        var again = ByteBuffer.allocate(ReadRequest.BYTES);
        ReadRequest.decode(message.duplicate()).encode(again);
        assertEquals(message, again.flip());
    }
}
