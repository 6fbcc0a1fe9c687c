package io.github.rpcrdma4j.iwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TerminateTest {
    private static Terminate decode(String hex) {
        return Terminate.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    }

    /** The bytes come from the siw driver of Linux 6.12 on a little-endian machine. */
    @Test
    void readsTheLayoutOfLinux() {
        assertEquals(new Terminate(1, 2, 3), decode("21030300"));
        assertEquals(new Terminate(1, 2, 2), decode("21020300"));
        assertEquals(new Terminate(0, 1, 0), decode("10000700"));
        assertEquals(Terminate.of(Fault.CRC), decode("02020000"));
    }

    @Test
    void readsTheLayoutOfTheRfc() {
        assertEquals(new Terminate(1, 2, 3), decode("1203c000"));
        assertEquals(new Terminate(0, 1, 0), decode("0100e000"));
        assertEquals(new Terminate(2, 0, 2), decode("20020000"));
        assertEquals(new Terminate(0, 0, 0xff), decode("00ff0000"));
    }

    @Test
    @Tag("5040-4.8-1")
    @Tag("5041-7.2-1")
    void encodesEveryFaultInTheLayoutOfTheRfc() {
        var seen = new HashSet<Terminate>();
        for (var fault : Fault.values()) {
            var out = ByteBuffer.allocate(Terminate.BYTES);
            Terminate.of(fault).encode(out, null);
            assertEquals(fault.layer() << 4 | fault.type(), out.get(0) & 0xff);
            assertEquals(fault.code(), out.get(1) & 0xff);
            var back = Terminate.decode(out.flip());
            assertEquals(Terminate.of(fault), back);
            assertTrue(back.description().endsWith(fault.description()));
            assertTrue(seen.add(back), fault + " is encoded like another fault");
        }
    }

    private static String encode(Terminate terminate, Terminate.Offender offender) {
        var out = ByteBuffer.allocate(Terminate.BYTES_MAX);
        terminate.encode(out, offender);
        var back = Terminate.decode(out.duplicate().flip());
        assertEquals(terminate, back);
        return HexFormat.of().formatHex(out.array(), 0, out.position());
    }

    /** The bytes were composed by hand from RFC 5040, Section 4.8. */
    @Test
    @Tag("5040-4.8-2")
    void returnsTheHeadersOfTheSegmentThatItIsAbout() {
        assertEquals(
                "1100c000" + "0012" + "c140" + "00000007" + "0000000000000008",
                encode(
                        Terminate.of(Fault.WRITE_INVALID_STAG),
                        new Terminate.Offender(18, new DdpSegment.Tagged(0xc140, 7, 8), null)));
        assertEquals(
                "0101e000"
                        + "002e"
                        + "41410000000000000001"
                        + "0000000100000000"
                        + "00000001"
                        + "0000000000000002"
                        + "00000003"
                        + "00000004"
                        + "0000000000000005",
                encode(
                        Terminate.of(Fault.READ_OUT_OF_BOUNDS),
                        new Terminate.Offender(
                                46,
                                new DdpSegment.Untagged(0x4141, 0, 1, 1, 0),
                                new ReadRequest(1, 2, 3, 4, 5))));
    }

    @Test
    void distinguishesRefusedAccessFromOtherFaults() {
        assertTrue(Terminate.of(Fault.READ_INVALID_STAG).refusesAccess());
        assertTrue(Terminate.of(Fault.ACCESS_VIOLATION).refusesAccess());
        assertTrue(Terminate.of(Fault.WRITE_OUT_OF_BOUNDS).refusesAccess());
        assertFalse(Terminate.of(Fault.CRC).refusesAccess());
        assertFalse(Terminate.of(Fault.NO_BUFFER).refusesAccess());
    }

    @Test
    void decodesEveryControlWord() {
        for (int first = 0; first < 256; first++) {
            for (int flags = 0; flags < 256; flags++) {
                var in = ByteBuffer.allocate(Terminate.BYTES);
                in.put((byte) first).put((byte) 1).put((byte) flags).put((byte) 0).flip();
                var terminate = Terminate.decode(in);
                assertTrue(terminate.description().startsWith("the peer ended the connection"));
            }
        }
    }
}
