package io.github.rpcrdma4j.iwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class TerminateTest {
    private static Terminate decode(String hex) {
        return Terminate.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    }

    /** Seen on the wire from the siw driver of Linux 6.12 on a little-endian machine. */
    @Test
    void readsTheLayoutOfLinux() {
        assertEquals(new Terminate(1, 2, 3), decode("21030300"));
        assertEquals(new Terminate(1, 2, 2), decode("21020300"));
        assertEquals(new Terminate(0, 1, 0), decode("10000700"));
    }

    @Test
    void readsTheLayoutOfTheRfc() {
        assertEquals(new Terminate(1, 2, 3), decode("1203c000"));
        assertEquals(new Terminate(0, 1, 0), decode("0100e000"));
        assertEquals(new Terminate(2, 0, 2), decode("20020000"));
        assertEquals(new Terminate(0, 0, 0xff), decode("00ff0000"));
    }

    @Test
    void saysEveryFaultInTheLayoutOfTheRfc() {
        var seen = new HashSet<Terminate>();
        for (var fault : Fault.values()) {
            var out = ByteBuffer.allocate(Terminate.BYTES);
            Terminate.of(fault).encode(out);
            assertEquals(fault.layer() << 4 | fault.type(), out.get(0) & 0xff);
            assertEquals(fault.code(), out.get(1) & 0xff);
            var back = Terminate.decode(out.flip());
            assertEquals(Terminate.of(fault), back);
            assertTrue(back.words().endsWith(fault.words()));
            assertTrue(seen.add(back), fault + " is said like another");
        }
    }

    @Test
    void tellsRefusedAccessFromOtherFaults() {
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
                assertTrue(terminate.words().startsWith("the peer ended the connection"));
            }
        }
    }
}
