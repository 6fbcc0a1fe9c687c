package io.github.rpcrdma4j.rpcrdma.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Goal: a call has the mark of its copies, and no call of another user has. Method: calls of
 * AUTH_SYS and of RPCSEC_GSS, by hand.
 */
class CallMarkTest {
    private static final int XID = 7;
    private static final int SYS = 1;
    private static final int GSS = 6;
    private static final int[] ROOT = {0, 0, 0, 0, 0};

    private static MemorySegment call(
            int procedure, int flavor, int[] credential, int[] verifier, int... arguments) {
        var out = ByteBuffer.allocate(400);
        out.putInt(XID).putInt(0).putInt(2).putInt(100003).putInt(3).putInt(procedure);
        out.putInt(flavor).putInt(credential.length * Integer.BYTES);
        for (int each : credential) {
            out.putInt(each);
        }
        out.putInt(verifier.length == 0 ? 0 : flavor).putInt(verifier.length * Integer.BYTES);
        for (int each : verifier) {
            out.putInt(each);
        }
        for (int each : arguments) {
            out.putInt(each);
        }
        return MemorySegment.ofBuffer(out.flip());
    }

    private static MemorySegment sys(int uid, int procedure, int... arguments) {
        return call(procedure, SYS, new int[] {0, 0, uid, 0, 0}, new int[0], arguments);
    }

    /** Version 1, RPCSEC_GSS_DATA, and no integrity. */
    private static MemorySegment gss(int sequence, int handle, int verifier) {
        return call(7, GSS, new int[] {1, 0, sequence, 1, 4, handle}, new int[] {verifier}, 1, 2);
    }

    private static ChunkLists reading(int position, int handle, int length) {
        var segment = new ReadSegment(position, new Segment(handle, length, 0));
        return new ChunkLists(List.of(segment), List.of(), Optional.empty());
    }

    private static CallMark mark(MemorySegment message) {
        return CallMark.of(XID, reading(100, 1, 4096), message);
    }

    @Test
    void aCopyHasTheSameMarkWithOtherHandles() {
        var first = CallMark.of(XID, reading(100, 1, 4096), sys(0, 7, 1, 2));
        assertEquals(first, CallMark.of(XID, reading(100, 2, 4096), sys(0, 7, 1, 2)));
        assertNotEquals(first, CallMark.of(XID, reading(100, 1, 8192), sys(0, 7, 1, 2)));
    }

    @Test
    void callsOfOtherUsersProceduresAndArgumentsHaveOtherMarks() {
        var first = mark(sys(0, 7, 1, 2));
        assertNotEquals(first, mark(sys(1000, 7, 1, 2)));
        assertNotEquals(first, mark(sys(0, 6, 1, 2)));
        assertNotEquals(first, mark(sys(0, 7, 1, 3)));
        assertNotEquals(first, CallMark.of(XID + 1, reading(100, 1, 4096), sys(0, 7, 1, 2)));
    }

    /** RFC 2203, Section 5.3.3.1: a copy has a new sequence number. */
    @Test
    void aCopyWithASecurityContextHasTheSameMark() {
        assertEquals(mark(gss(1, 55, 1)), mark(gss(2, 55, 2)));
        assertNotEquals(mark(gss(1, 55, 1)), mark(gss(1, 56, 1)));
    }

    @Test
    void aLongCallIsKnownByItsLength() {
        var first = CallMark.of(XID, reading(0, 1, 4096), MemorySegment.NULL);
        assertEquals(first, CallMark.of(XID, reading(0, 2, 4096), MemorySegment.NULL));
        assertNotEquals(first, CallMark.of(XID, reading(0, 1, 4100), MemorySegment.NULL));
    }

    @Test
    void bytesThatAreNoCallHaveAMark() {
        var cut = call(7, SYS, ROOT, new int[0], 1).asSlice(0, 20);
        assertEquals(mark(cut), mark(cut));
        var longer = call(7, GSS, new int[] {1}, new int[0], 1);
        assertEquals(mark(longer), mark(longer));
        var broken = MemorySegment.ofArray(longer.toArray(ValueLayout.JAVA_BYTE));
        broken.asByteBuffer().putInt(28, 401);
        assertEquals(mark(broken), mark(broken));
    }
}
