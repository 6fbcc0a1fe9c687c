package io.github.rpcrdma4j.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.capture.TcpSegment.Decoded;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class TcpSegmentTest {
    private static final Endpoint HERE = new Endpoint(false, 0, 0x0a00_0001, 700);
    private static final Endpoint THERE = new Endpoint(false, 0, 0xc0a8_ff02L, 20049);
    private static final Endpoint HERE_6 = new Endpoint(true, 0xfe80L << 48, 1, 700);
    private static final Endpoint THERE_6 = new Endpoint(true, 0x2001_0db8_0000_0001L, 2, 20049);
    private static final int IP_AT = 14;

    private static TcpSegment segment(Endpoint from, Endpoint to, int bytes) {
        var payload = ByteBuffer.allocate(bytes);
        for (int i = 0; i < bytes; i++) {
            payload.put(i, (byte) (i * 7));
        }
        return new TcpSegment(from, to, -5, 77, TcpSegment.ACK, bytes, payload);
    }

    private static byte[] ip(byte[] frame) {
        return Arrays.copyOfRange(frame, IP_AT, frame.length);
    }

    private static Decoded decode(int linkType, String front, byte[] ip) {
        byte[] start = HexFormat.of().parseHex(front.replace(" ", ""));
        var packet = ByteBuffer.allocate(start.length + ip.length).put(start).put(ip);
        return TcpSegment.decode(linkType, packet.flip());
    }

    @Test
    void decodesWhatItEncodes() {
        for (int bytes : new int[] {0, 1, 1460, TcpSegment.ENCODED_MAX}) {
            var v4 = segment(HERE, THERE, bytes);
            assertEquals(new Decoded.Tcp(v4), decode(1, "", v4.encode()));
            var v6 = segment(THERE_6, HERE_6, bytes);
            assertEquals(new Decoded.Tcp(v6), decode(1, "", v6.encode()));
        }
        assertThrows(IllegalArgumentException.class, segment(HERE, THERE_6, 1)::encode);
        assertThrows(
                IllegalArgumentException.class,
                segment(HERE, THERE, TcpSegment.ENCODED_MAX + 1)::encode);
    }

    /**
     * Goal: the checksums are right. The expected bytes were checked with another implementation.
     */
    @Test
    void encodesWithChecksums() {
        assertEquals(
                "020000000002"
                        + "020000000001"
                        + "0800"
                        + "4500002b00004000400671210a000001c0a8ff02"
                        + "02bc4e51fffffffb0000004d5010ffff86c80000"
                        + "00070e",
                HexFormat.of().formatHex(segment(HERE, THERE, 3).encode()));
    }

    @Test
    void findsTcpAfterEveryLinkType() {
        var segment = segment(HERE, THERE, 9);
        var expected = new Decoded.Tcp(segment);
        byte[] ip = ip(segment.encode());
        var macs = "0200 0000 0001 0200 0000 0002";
        assertEquals(expected, decode(1, macs + "0800", ip));
        assertEquals(expected, decode(1, macs + "8100 0005 0800", ip));
        assertEquals(expected, decode(1, macs + "88a8 0005 8100 0006 0800", ip));
        assertEquals(expected, decode(113, "0000 0001 0006 020000000001 0000 0800", ip));
        assertEquals(expected, decode(276, "0800 0000 00000001 0001 00 06 0200000000010000", ip));
        assertEquals(expected, decode(0, "02000000", ip));
        assertEquals(expected, decode(108, "00000002", ip));
        for (int raw : new int[] {101, 12, 14, 228}) {
            assertEquals(expected, decode(raw, "", ip));
        }
        var v6 = segment(HERE_6, THERE_6, 9);
        assertEquals(new Decoded.Tcp(v6), decode(229, "", ip(v6.encode())));
        assertEquals(new Decoded.Tcp(v6), decode(0, "1e000000", ip(v6.encode())));
        assertInstanceOf(Decoded.Other.class, decode(1, macs + "0806", ip));
        assertInstanceOf(Decoded.Other.class, decode(9999, "", ip));
    }

    @Test
    void skipsExtensionsAndReportsFragments() {
        var segment = segment(HERE_6, THERE_6, 4);
        byte[] plain = ip(segment.encode());
        byte[] options = HexFormat.of().parseHex("06010000000000000000000000000000");
        var packet = ByteBuffer.allocate(plain.length + options.length);
        packet.put(plain, 0, 40).put(options).put(plain, 40, plain.length - 40);
        packet.putShort(4, (short) (plain.length - 40 + options.length));
        for (int extension : new int[] {0, 43, 60}) {
            packet.put(6, (byte) extension);
            assertEquals(new Decoded.Tcp(segment), TcpSegment.decode(101, packet.rewind()));
        }
        packet.put(6, (byte) 44);
        assertInstanceOf(Decoded.Fragment.class, TcpSegment.decode(101, packet.rewind()));
        packet.put(6, (byte) 50);
        assertInstanceOf(Decoded.Other.class, TcpSegment.decode(101, packet.rewind()));
        byte[] v4 = ip(segment(HERE, THERE, 4).encode());
        v4[6] = 0x20;
        assertInstanceOf(Decoded.Fragment.class, decode(101, "", v4));
    }

    @Test
    void takesPacketsThatAreLongerThanTheirLengthField() {
        var segment = segment(HERE, THERE, 9);
        byte[] ip = ip(segment.encode());
        ip[2] = 0;
        ip[3] = 0;
        assertEquals(new Decoded.Tcp(segment), decode(101, "", ip));
    }

    @Test
    void distinguishesSentFromCapturedLength() {
        byte[] ip = ip(segment(HERE, THERE, 9).encode());
        var tcp =
                assertInstanceOf(
                        Decoded.Tcp.class, TcpSegment.decode(101, ByteBuffer.wrap(ip, 0, 43)));
        assertEquals(9, tcp.segment().length());
        assertEquals(3, tcp.segment().payload().remaining());
    }

    /** Goal: the decoder survives any packet. Method: all prefixes, all values of all bytes. */
    @Test
    void survivesEveryTruncationAndCorruptByte() {
        for (var segment :
                new TcpSegment[] {segment(HERE, THERE, 2), segment(HERE_6, THERE_6, 2)}) {
            byte[] frame = segment.encode();
            for (int linkType : new int[] {1, 0, 101, 113, 276}) {
                for (int at = 0; at < frame.length; at++) {
                    assertNotNull(TcpSegment.decode(linkType, ByteBuffer.wrap(frame, 0, at)));
                    byte right = frame[at];
                    for (int value = 0; value < 256; value++) {
                        frame[at] = (byte) value;
                        assertNotNull(TcpSegment.decode(linkType, ByteBuffer.wrap(frame)));
                    }
                    frame[at] = right;
                }
            }
        }
    }

    @Test
    void writesAddressesInTheirShortForm() {
        assertEquals("192.168.255.2:20049", THERE.toString());
        assertEquals("[fe80::1]:700", HERE_6.toString());
        assertEquals("[2001:db8:0:1::2]:20049", THERE_6.toString());
        assertEquals("[::]:1", new Endpoint(true, 0, 0, 1).toString());
        assertEquals(
                "[1:0:2:3:4:5:6:7]:1",
                new Endpoint(true, 0x0001_0000_0002_0003L, 0x0004_0005_0006_0007L, 1).toString());
        assertEquals(THERE, Endpoint.of(new byte[] {(byte) 192, (byte) 168, -1, 2}, 20049));
    }
}
