package io.github.rpcrdma4j.sim.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CaptureTest {
    /** The counts are those of an independent reader of the files. */
    @Test
    void readsEveryStreamOfTheCaptures() throws Exception {
        var seen = new StringBuilder();
        for (var name : Capture.NAMES) {
            seen.append(name);
            for (var stream : Capture.named(name).streams()) {
                seen.append(' ').append(stream.bytes().length);
            }
            seen.append('\n');
        }
        assertEquals(
                """
                linux-nfs3 274908 298980
                linux-nfs4.1 282512 309904
                v3-crc-meta 16380 123616 4152 17304
                v3-crc-write1m 1065584 2768
                v4.1-crc-meta 22128 157192 10800 22600
                v4.1-crc-read1m 7028 1070020
                """,
                seen.toString());
    }

    @Test
    void startsEveryStreamWithItsMpaKey() throws Exception {
        for (var name : Capture.NAMES) {
            var capture = Capture.named(name);
            var keys =
                    capture.streams().stream()
                            .map(each -> new String(each.bytes(), 0, 10, StandardCharsets.US_ASCII))
                            .collect(Collectors.toSet());
            assertEquals(2, keys.size(), name);
            for (var stream : capture.streams()) {
                assertEquals(stream.to(), capture.opposite(stream).orElseThrow().from());
            }
        }
    }

    @Test
    void ordersSegmentsAndDropsWhatWasSentTwice() throws Exception {
        var file = ByteBuffer.allocate(1000);
        file.putInt(0xa1b2c3d4).putInt(0).putInt(0).putInt(0).putInt(65_535).putInt(1);
        // The sequence numbers wrap in the middle of the stream.
        packet(file, 0xffff_fffe, true, "");
        packet(file, 0x0000_0002, false, "def");
        packet(file, 0xffff_ffff, false, "abc");
        packet(file, 0x0000_0001, false, "cde");
        var capture = read(file);
        assertEquals(1, capture.streams().size());
        var stream = capture.streams().getFirst();
        assertEquals("abcdef", new String(stream.bytes(), StandardCharsets.US_ASCII));
        assertEquals(700, stream.from().getPort());
        assertEquals(InetAddress.getByAddress(new byte[] {10, 0, 0, 2}), stream.to().getAddress());
    }

    @Test
    void refusesAStreamWithAHole() {
        var file = ByteBuffer.allocate(1000);
        file.putInt(0xa1b2c3d4).putInt(0).putInt(0).putInt(0).putInt(65_535).putInt(1);
        packet(file, 1, true, "");
        packet(file, 4, false, "x");
        assertThrows(IOException.class, () -> read(file));
    }

    @Test
    void refusesWhatIsNoCapture() {
        assertThrows(IOException.class, () -> read(ByteBuffer.allocate(100).position(100)));
    }

    private static Capture read(ByteBuffer file) throws IOException {
        return Capture.read(new ByteArrayInputStream(Arrays.copyOf(file.array(), file.position())));
    }

    private static void packet(ByteBuffer file, int sequence, boolean opens, String octets) {
        int length = 14 + 20 + 20 + octets.length();
        file.putInt(0).putInt(0).putInt(length).putInt(length);
        file.putLong(0).putInt(0).putShort((short) 0x0800);
        file.putShort((short) 0x4500).putShort((short) (length - 14)).putInt(0);
        file.put((byte) 64).put((byte) 6).putShort((short) 0);
        file.putInt(0x0a00_0001).putInt(0x0a00_0002);
        file.putShort((short) 700).putShort((short) 20_049).putInt(sequence).putInt(0);
        file.put((byte) 0x50).put((byte) (opens ? 2 : 16)).putShort((short) 0).putInt(0);
        file.put(octets.getBytes(StandardCharsets.US_ASCII));
    }
}
