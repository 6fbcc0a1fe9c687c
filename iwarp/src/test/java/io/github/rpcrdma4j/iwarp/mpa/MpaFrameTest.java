package io.github.rpcrdma4j.iwarp.mpa;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame.Decoded;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame.Enhanced;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MpaFrameTest {
    private static final byte[] PRIVATE_DATA = HexFormat.of().parseHex("f6ab0e1801010303");

    /** The request of the NFS client of Linux 6.12 on the siw driver. */
    private static final byte[] LINUX_REQUEST =
            wire("MPA ID Req Frame", "1002 000c 0080 0000 f6ab0e1801010303");

    private static final MpaFrame LINUX_REQUEST_FRAME =
            new MpaFrame(
                    false,
                    false,
                    false,
                    false,
                    2,
                    Optional.of(Enhanced.ofDepths(128, 0)),
                    PRIVATE_DATA);

    static byte[] wire(String key, String hex) {
        byte[] rest = HexFormat.of().parseHex(hex.replace(" ", ""));
        byte[] bytes = Arrays.copyOf(key.getBytes(StandardCharsets.US_ASCII), 16 + rest.length);
        System.arraycopy(rest, 0, bytes, 16, rest.length);
        return bytes;
    }

    private static MpaFrame decode(byte[] bytes) {
        var whole = assertInstanceOf(Decoded.Whole.class, MpaFrame.decode(bytes, bytes.length));
        assertEquals(bytes.length, whole.length());
        return whole.frame();
    }

    @Test
    void decodesTheRequestOfALinuxClient() {
        var frame = decode(LINUX_REQUEST);
        assertArrayEquals(PRIVATE_DATA, frame.privateData());
        assertEquals(LINUX_REQUEST_FRAME.enhanced(), frame.enhanced());
        assertEquals("false false false false 2", flags(frame));
        assertArrayEquals(LINUX_REQUEST, LINUX_REQUEST_FRAME.encode());
    }

    private static String flags(MpaFrame frame) {
        return frame.isReply()
                + " "
                + frame.markers()
                + " "
                + frame.crc()
                + " "
                + frame.rejected()
                + " "
                + frame.revision();
    }

    /** The bytes come from captured requests and replies between Linux and other peers. */
    @Test
    @Tag("6581-6-1")
    @Tag("6581-9-1")
    void keepsEveryFieldOfTheFramesSeen() {
        var seen =
                List.of(
                        wire("MPA ID Rep Frame", "1002 000c 0000 0010 f6ab0e1801000303"),
                        wire("MPA ID Rep Frame", "5002 000c 0003 0005 f6ab0e1801000303"),
                        wire("MPA ID Rep Frame", "1002 000c 8001 8010 f6ab0e1801000303"),
                        wire("MPA ID Rep Frame", "2001 0000"),
                        wire("MPA ID Rep Frame", "3002 0004 00000000"),
                        wire("MPA ID Req Frame", "5002 000c 0001 0000 f6ab0e1801000303"),
                        wire("MPA ID Req Frame", "d002 0004 c010 c010"),
                        wire("MPA ID Req Frame", "4001 0003 010203"));
        for (var bytes : seen) {
            assertArrayEquals(bytes, decode(bytes).encode());
        }
        assertEquals("true false true false 2", flags(decode(seen.get(1))));
        assertEquals("true false false true 1", flags(decode(seen.get(3))));
        assertEquals("false true true false 2", flags(decode(seen.get(6))));
        assertEquals(
                Optional.of(new Enhanced(true, true, true, true, 16, 16)),
                decode(seen.get(6)).enhanced());
        assertEquals(
                Optional.of(new Enhanced(true, false, true, false, 1, 16)),
                decode(seen.get(2)).enhanced());
    }

    @Test
    void needsTheRestOfEveryTruncation() {
        for (int count = 0; count < LINUX_REQUEST.length; count++) {
            assertEquals(
                    new Decoded.Incomplete(count < 20 ? 20 : LINUX_REQUEST.length),
                    MpaFrame.decode(LINUX_REQUEST, count));
        }
    }

    @Test
    @Tag("5044-7.1.1-1")
    void rejectsAnotherProtocolAtTheFirstByte() {
        for (var greeting : List.of("SSH-2.0-OpenSSH_9.2", "HTTP/1.1 400 Bad Request", "\0\0\0")) {
            byte[] bytes = greeting.getBytes(StandardCharsets.US_ASCII);
            assertInstanceOf(Decoded.Malformed.class, MpaFrame.decode(bytes, 1));
        }
    }

    /** Goal: decoding never throws. Method: every byte takes every value. */
    @Test
    void decodesEveryCorruptionOfOneByte() {
        for (int at = 0; at < LINUX_REQUEST.length; at++) {
            for (int value = 0; value < 256; value++) {
                byte[] bytes = LINUX_REQUEST.clone();
                bytes[at] = (byte) value;
                var decoded = MpaFrame.decode(bytes, bytes.length);
                boolean inKey = at < 16 && bytes[at] != LINUX_REQUEST[at];
                // "Req" and "Rep" differ in one letter.
                boolean otherKey = at == 9 && value == 'p';
                if (inKey && !otherKey) {
                    assertInstanceOf(Decoded.Malformed.class, decoded);
                }
                if (at > 19) {
                    assertInstanceOf(Decoded.Whole.class, decoded);
                }
            }
        }
    }

    @Test
    @Tag("5044-7.1.2-7")
    void takesNoMoreThanItsOwnBytes() {
        byte[] longer = Arrays.copyOf(LINUX_REQUEST, LINUX_REQUEST.length + 7);
        var whole = assertInstanceOf(Decoded.Whole.class, MpaFrame.decode(longer, longer.length));
        assertEquals(LINUX_REQUEST.length, whole.length());
    }

    @Test
    @Tag("5044-7.1.1-6")
    @Tag("6581-6-1")
    void carriesPrivateDataUpToItsLimit() {
        for (int length : new int[] {0, 1, 507, 508}) {
            var frame =
                    new MpaFrame(
                            true,
                            false,
                            true,
                            false,
                            2,
                            Optional.of(Enhanced.ofDepths(1, 2)),
                            new byte[length]);
            assertEquals(length, decode(frame.encode()).privateData().length);
        }
        var old = new MpaFrame(false, false, true, false, 1, Optional.empty(), new byte[512]);
        assertEquals(512, decode(old.encode()).privateData().length);
        var excess =
                new MpaFrame(
                        true,
                        false,
                        true,
                        false,
                        2,
                        Optional.of(Enhanced.ofDepths(1, 2)),
                        new byte[509]);
        assertThrows(IllegalArgumentException.class, excess::encode);
        byte[] announced = wire("MPA ID Req Frame", "4001 0201");
        assertInstanceOf(Decoded.Malformed.class, MpaFrame.decode(announced, announced.length));
    }

    @Test
    @Tag("6581-6-1")
    void refusesMissingEnhancedData() {
        byte[] bytes = wire("MPA ID Req Frame", "1002 0003 000000");
        assertInstanceOf(Decoded.Malformed.class, MpaFrame.decode(bytes, bytes.length));
    }

    @Test
    void findsNoEnhancedDataInRevisionOne() {
        var frame = decode(wire("MPA ID Req Frame", "1001 0004 01020304"));
        assertTrue(frame.enhanced().isEmpty());
        assertEquals(4, frame.privateData().length);
    }

    @Test
    @Tag("5044-7.1.1-4")
    void ignoresReservedBitsAndSendsThemAsZero() {
        var frame = decode(wire("MPA ID Req Frame", "5f02 000c 0080 0000 f6ab0e1801010303"));
        assertEquals("false false true false 2", flags(frame));
        assertArrayEquals(
                wire("MPA ID Req Frame", "5002 000c 0080 0000 f6ab0e1801010303"), frame.encode());
    }

    @Test
    @Tag("6581-9-1")
    void namesDepthsOfFourteenBits() {
        assertEquals(0x3fff, Enhanced.ofDepths(0x3fff, 0).inboundReads());
        assertThrows(IllegalArgumentException.class, () -> Enhanced.ofDepths(0x4000, 0));
        assertThrows(IllegalArgumentException.class, () -> Enhanced.ofDepths(0, -1));
    }
}
