package io.github.rpcrdma4j.iwarp.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment.Tagged;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment.Untagged;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests headers against bytes from Linux 6.12 with the siw driver. */
class DdpSegmentTest {
    private static ByteBuffer wire(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    private static void bothWays(String hex, DdpSegment segment) {
        var in = wire(hex);
        assertEquals(in.remaining(), DdpSegment.headerBytes(in.getShort(0) & 0xffff));
        assertEquals(segment, DdpSegment.decode(in.duplicate()));
        var out = ByteBuffer.allocate(in.remaining());
        segment.encode(out);
        assertEquals(in, out.flip());
        assertEquals(1, segment.ddpVersion());
        assertEquals(1, segment.rdmapVersion());
    }

    @Test
    @Tag("5041-4.2-1")
    @Tag("5041-4.3-1")
    void codesEveryHeaderThatLinuxSends() {
        bothWays("c140 00000100 0000000000001000", new Tagged(0xc140, 0x100, 0x1000));
        bothWays("c142 00000001 fedcba9876543210", new Tagged(0xc142, 1, 0xfedcba9876543210L));
        bothWays("8140 ffffffff ffffffffffffffff", new Tagged(0x8140, -1, -1));
        bothWays("4143 00000000 00000000 00000001 00000000", new Untagged(0x4143, 0, 0, 1, 0));
        bothWays("4144 00000100 00000000 00000002 00000000", new Untagged(0x4144, 0x100, 0, 2, 0));
        bothWays("4141 00000000 00000001 00000001 00000000", new Untagged(0x4141, 0, 1, 1, 0));
        bothWays("4147 00000000 00000002 00000001 00000000", new Untagged(0x4147, 0, 2, 1, 0));
        bothWays("0143 00000000 00000000 00000003 00010000", new Untagged(0x143, 0, 0, 3, 65536));
    }

    @Test
    @Tag("5041-4.1-1")
    @Tag("5040-4.1-1")
    void buildsTheControlFieldsThatLinuxSends() {
        assertEquals(0xc140, DdpSegment.control(true, true, DdpSegment.WRITE));
        assertEquals(0x8142, DdpSegment.control(true, false, DdpSegment.READ_RESPONSE));
        assertEquals(0x4144, DdpSegment.control(false, true, DdpSegment.SEND_INVALIDATE));
    }

    /** Goal: every control field decodes, with any reserved bits and versions. */
    @Test
    void keepsEveryControlField() {
        for (int control = 0; control < 1 << 16; control++) {
            var in = ByteBuffer.allocate(DdpSegment.UNTAGGED_BYTES).putShort((short) control);
            var segment = DdpSegment.decode(in.clear());
            assertEquals(control, segment.control());
            assertEquals(DdpSegment.headerBytes(control), in.position());
            assertEquals((control & 0x8000) != 0, segment instanceof Tagged);
            assertEquals((control & 0x4000) != 0, segment.isLast());
            assertEquals(control & 15, segment.opcode());
        }
    }

    @Test
    void knowsWhichSendsInvalidate() {
        for (int opcode = 0; opcode < 16; opcode++) {
            var segment = new Untagged(DdpSegment.control(false, true, opcode), 1, 0, 1, 0);
            assertEquals(opcode == 4 || opcode == 6, segment.invalidates());
        }
        assertTrue(new Untagged(0x4146, 1, 0, 1, 0).isLast());
        assertFalse(new Untagged(0x0146, 1, 0, 1, 0).isLast());
    }

    @Test
    @Tag("5040-4.4-1")
    void codesAReadRequest() {
        var hex = "00000b00 00000000a0000000 00040000 0000c100 f1f2f3f400000000";
        var request = new ReadRequest(0xb00, 0xa000_0000L, 0x40000, 0xc100, 0xf1f2f3f400000000L);
        assertEquals(request, ReadRequest.decode(wire(hex)));
        var out = ByteBuffer.allocate(ReadRequest.BYTES);
        request.encode(out);
        assertEquals(wire(hex), out.flip());
    }
}
