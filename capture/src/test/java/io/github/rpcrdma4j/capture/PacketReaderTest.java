package io.github.rpcrdma4j.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PacketReaderTest {
    private static final byte[] PACKET = "packet".getBytes(StandardCharsets.US_ASCII);
    private static final long SECONDS = 1_795_230_296L;

    static List<ByteOrder> orders() {
        return List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN);
    }

    private static PacketReader reader(ByteBuffer file) throws IOException {
        return PacketReader.of(
                new ByteArrayInputStream(Arrays.copyOf(file.array(), file.position())));
    }

    private static void assertPacket(long number, long nanos, int linkType, Packet packet) {
        var bytes = ByteBuffer.wrap(PACKET);
        assertEquals(new Packet(number, nanos, linkType, bytes), packet);
        assertEquals(ByteOrder.BIG_ENDIAN, packet.bytes().order());
    }

    @ParameterizedTest
    @MethodSource("orders")
    void readsPcapWithMicrosecondsAndWithNanoseconds(ByteOrder order) throws Exception {
        for (int unit : new int[] {1000, 1}) {
            var file = ByteBuffer.allocate(500).order(order);
            file.putInt(unit == 1 ? 0xa1b23c4d : 0xa1b2c3d4).putInt(0x00020004);
            file.putInt(0).putInt(0).putInt(65535).putInt(113);
            for (int i = 0; i < 2; i++) {
                file.putInt((int) SECONDS).putInt(7 + i).putInt(6).putInt(9).put(PACKET);
            }
            var reader = reader(file);
            assertPacket(1, SECONDS * 1_000_000_000 + 7L * unit, 113, reader.next());
            assertPacket(2, SECONDS * 1_000_000_000 + 8L * unit, 113, reader.next());
            assertNull(reader.next());
            assertEquals(Optional.empty(), reader.failure());
        }
    }

    private static void block(ByteBuffer file, int type, ByteBuffer body) {
        int length = 12 + (body.position() + 3 & ~3);
        file.putInt(type).putInt(length).put(body.array(), 0, length - 12).putInt(length);
    }

    private static ByteBuffer body(ByteOrder order) {
        return ByteBuffer.allocate(100).order(order);
    }

    private static void section(ByteBuffer file) {
        var body = body(file.order()).putInt(0x1a2b3c4d).putInt(0x00010000).putLong(-1);
        block(file, 0x0a0d0d0a, body);
    }

    /** Adds a description; without the option if {@code resolution} is negative. */
    private static void description(ByteBuffer file, int linkType, int resolution, long offset) {
        var body = body(file.order()).putShort((short) linkType).putShort((short) 0).putInt(4);
        body.putShort((short) 2).putShort((short) 3).put(new byte[] {'e', 't', 'h', 0});
        if (resolution >= 0) {
            body.putShort((short) 9).putShort((short) 1).put((byte) resolution).put(new byte[3]);
        }
        if (offset != 0) {
            body.putShort((short) 14).putShort((short) 8).putLong(offset);
        }
        block(file, 1, body.putInt(0));
    }

    private static void enhanced(ByteBuffer file, int on, long time) {
        var body = body(file.order()).putInt(on).putInt((int) (time >>> 32)).putInt((int) time);
        block(file, 6, body.putInt(6).putInt(60).put(PACKET).putShort((short) 0));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void readsPcapngWithManyInterfacesAndSections(ByteOrder order) throws Exception {
        var file = ByteBuffer.allocate(2000).order(order);
        section(file);
        description(file, 1, -1, 0);
        description(file, 276, 9, 0);
        description(file, 101, 0x80 | 20, 5);
        block(file, 0x0bad, body(order).putInt(1));
        enhanced(file, 0, SECONDS * 1_000_000 + 7);
        enhanced(file, 1, SECONDS * 1_000_000_000 + 7);
        enhanced(file, 2, SECONDS << 20 | 1 << 19);
        block(file, 3, body(order).putInt(6).put(PACKET));
        // A section in the other byte order.
        file.order(order == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        section(file);
        description(file, 0, 6, 0);
        enhanced(file, 0, 1);
        var reader = reader(file);
        assertPacket(1, SECONDS * 1_000_000_000 + 7000, 1, reader.next());
        assertPacket(2, SECONDS * 1_000_000_000 + 7, 276, reader.next());
        assertPacket(3, (SECONDS + 5) * 1_000_000_000 + 500_000_000, 101, reader.next());
        // A simple packet has the snapshot limit of the first interface, and no time.
        assertEquals(new Packet(4, 0, 1, ByteBuffer.wrap(Arrays.copyOf(PACKET, 4))), reader.next());
        assertPacket(5, 1000, 0, reader.next());
        assertNull(reader.next());
        assertEquals(Optional.empty(), reader.failure());
    }

    @Test
    void readsWhatItWrites() throws Exception {
        var file = new ByteArrayOutputStream();
        file.writeBytes(Pcapng.header(LinkLayer.ETHERNET));
        file.writeBytes(Pcapng.packet(SECONDS * 1_000_000_000 + 123_456_789, PACKET));
        file.writeBytes(Pcapng.packet(SECONDS * 1_000_000_000 + 123_456_790, PACKET));
        var reader = reader(ByteBuffer.wrap(file.toByteArray()).position(file.size()));
        assertPacket(1, SECONDS * 1_000_000_000 + 123_456_789, 1, reader.next());
        assertPacket(2, SECONDS * 1_000_000_000 + 123_456_790, 1, reader.next());
        assertNull(reader.next());
        assertEquals(Optional.empty(), reader.failure());
    }

    @Test
    void reportsAFileThatIsNoCapture() throws Exception {
        assertInstanceOf(PacketReader.Unknown.class, reader(ByteBuffer.allocate(0)));
        assertInstanceOf(PacketReader.Unknown.class, reader(ByteBuffer.allocate(99).position(99)));
        assertInstanceOf(
                PacketReader.Unknown.class,
                reader(ByteBuffer.allocate(99).putInt(0xa1b2c3d4).position(23)));
    }

    private static List<byte[]> files() {
        var files = new ArrayList<byte[]>();
        var pcap = ByteBuffer.allocate(68).order(ByteOrder.LITTLE_ENDIAN);
        pcap.putInt(0xa1b2c3d4).putInt(0).putInt(0).putInt(0).putInt(65535).putInt(1);
        pcap.putInt(1).putInt(1).putInt(6).putInt(6).put(PACKET);
        pcap.putInt(1).putInt(1).putInt(6).putInt(6).put(PACKET);
        files.add(pcap.array());
        var pcapng = ByteBuffer.allocate(500).order(ByteOrder.LITTLE_ENDIAN);
        section(pcapng);
        description(pcapng, 1, 9, 3);
        enhanced(pcapng, 0, 5);
        block(pcapng, 3, body(ByteOrder.LITTLE_ENDIAN).putInt(6).put(PACKET));
        files.add(Arrays.copyOf(pcapng.array(), pcapng.position()));
        return files;
    }

    private static int packets(byte[] file) throws IOException {
        var reader = PacketReader.of(new ByteArrayInputStream(file));
        int count = 0;
        while (reader.next() != null) {
            count++;
        }
        assertNull(reader.next(), "the end stays the end");
        return count;
    }

    /** Goal: the reader survives any file. Method: all prefixes, all values of all bytes. */
    @Test
    void survivesEveryTruncationAndCorruptByte() throws Exception {
        for (byte[] file : files()) {
            assertEquals(2, packets(file));
            for (int at = 0; at < file.length; at++) {
                assertEquals(true, packets(Arrays.copyOf(file, at)) < 2);
                byte right = file[at];
                for (int value = 0; value < 256; value++) {
                    file[at] = (byte) value;
                    packets(file);
                }
                file[at] = right;
            }
        }
    }

    @Test
    void reportsThatAFileEndsInsideAPacket() throws Exception {
        for (byte[] file : files()) {
            var cut = Arrays.copyOf(file, file.length - 1);
            var reader = PacketReader.of(new ByteArrayInputStream(cut));
            reader.next();
            assertNull(reader.next());
            assertEquals(true, reader.failure().orElseThrow().startsWith("the file ends inside a"));
        }
    }
}
