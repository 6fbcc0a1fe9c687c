package io.github.rpcrdma4j.nfs.mount;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.xdr.XdrException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class Mount3Test {
    private static final List<MountEntry> DUMP = List.of(new MountEntry("host", PathName.of("/a")));
    private static final List<ExportEntry> EXPORTS =
            List.of(
                    new ExportEntry(PathName.of("/a"), List.of("lab", "@")),
                    new ExportEntry(PathName.of("/"), List.of()));

    private interface Decoding {
        Object decode(byte[] bytes) throws XdrException;
    }

    private static Object decodeMountResult(byte[] bytes) throws XdrException {
        return MountResult.decode(Golden.reader(bytes));
    }

    private static Object decodeDump(byte[] bytes) throws XdrException {
        return MountEntry.decode(Golden.reader(bytes));
    }

    private static Object decodeExports(byte[] bytes) throws XdrException {
        return ExportEntry.decode(Golden.reader(bytes));
    }

    /** RFC 1813, Section 5.2. */
    @Test
    void numbersTheProcedures() {
        assertEquals(
                "NULL=0 MNT=1 DUMP=2 UMNT=3 UMNTALL=4 EXPORT=5",
                String.join(
                        " ",
                        Stream.of(Mount3.Procedure.values())
                                .map(each -> each + "=" + each.number())
                                .toList()));
        assertEquals(100005, Mount3.PROGRAM);
    }

    @Test
    void carriesAMountedHandleWithItsFlavors() throws Exception {
        byte[] bytes = Golden.bytes("reply-mnt");
        var mounted = assertInstanceOf(MountResult.Ok.class, decodeMountResult(bytes));
        assertArrayEquals(new byte[] {10, 11, 12}, mounted.handle());
        assertEquals(List.of(1, 0), mounted.flavors());
        assertArrayEquals(bytes, Golden.flat(mounted::encode));
    }

    @Test
    void carriesEveryStatusThatIsNotOk() throws Exception {
        byte[] bytes = Golden.bytes("reply-mnt-failed");
        assertEquals(new MountResult.Failed(MountStatus.NAMETOOLONG), decodeMountResult(bytes));
        for (var status : MountStatus.values()) {
            if (status != MountStatus.OK) {
                var failed = new MountResult.Failed(status);
                assertEquals(failed, decodeMountResult(Golden.flat(failed::encode)));
                assertFalse(status.description().isEmpty());
            }
        }
    }

    @Test
    void mapsUnknownStatusesToServerfault() throws Exception {
        assertEquals(
                new MountResult.Failed(MountStatus.SERVERFAULT),
                decodeMountResult(Golden.flat(out -> out.uint32(-77))));
    }

    @Test
    void carriesWhoHasMountedWhat() throws Exception {
        byte[] bytes = Golden.bytes("reply-dump");
        assertEquals(DUMP, decodeDump(bytes));
        assertArrayEquals(bytes, Golden.flat(out -> MountEntry.encode(out, DUMP)));
    }

    @Test
    void carriesExportsWithTheirGroups() throws Exception {
        byte[] bytes = Golden.bytes("reply-export");
        assertEquals(EXPORTS, decodeExports(bytes));
        assertArrayEquals(bytes, Golden.flat(out -> ExportEntry.encode(out, EXPORTS)));
    }

    @Test
    void takesNoMoreThanItsLimits() {
        byte[] handle = new byte[Mount3.HANDLE_MAX + 1];
        byte[] mounted = Golden.flat(out -> out.uint32(0).opaque(handle).uint32(0));
        assertThrows(XdrException.class, () -> decodeMountResult(mounted));
        byte[] flavors =
                Golden.flat(
                        out -> {
                            out.uint32(0).opaque(new byte[3]).uint32(17);
                            for (int i = 0; i < 17; i++) {
                                out.uint32(i);
                            }
                        });
        assertThrows(XdrException.class, () -> decodeMountResult(flavors));
        byte[] long_ =
                Golden.flat(
                        out ->
                                ExportEntry.encode(
                                        out,
                                        List.of(
                                                new ExportEntry(
                                                        PathName.of(
                                                                "/".repeat(Mount3.PATH_MAX + 1)),
                                                        List.of()))));
        assertThrows(XdrException.class, () -> decodeExports(long_));
        byte[] many =
                Golden.flat(
                        out ->
                                ExportEntry.encode(
                                        out,
                                        Collections.nCopies(
                                                65537,
                                                new ExportEntry(PathName.of(""), List.of()))));
        assertThrows(XdrException.class, () -> decodeExports(many));
    }

    /** Goal: a message that claims 2^32-1 flavors causes no allocation for them. */
    @Test
    void believesNoCountThatTheMessageCannotHold() {
        byte[] bytes = Golden.bytes("reply-mnt");
        Arrays.fill(bytes, 12, 16, (byte) 0xff);
        assertThrows(XdrException.class, () -> decodeMountResult(bytes));
    }

    @Test
    void refusesEveryTruncationAndEveryExcess() {
        refuseOtherLengths(Golden.bytes("reply-mnt"), Mount3Test::decodeMountResult);
        refuseOtherLengths(Golden.bytes("reply-mnt-failed"), Mount3Test::decodeMountResult);
        refuseOtherLengths(Golden.bytes("reply-dump"), Mount3Test::decodeDump);
        refuseOtherLengths(Golden.bytes("reply-export"), Mount3Test::decodeExports);
    }

    private static void refuseOtherLengths(byte[] bytes, Decoding decoding) {
        for (int length = 0; length < bytes.length + 8; length++) {
            byte[] other = Arrays.copyOf(bytes, length);
            if (length != bytes.length) {
                assertThrows(XdrException.class, () -> decoding.decode(other));
            }
        }
    }

    @Test
    void survivesEveryCorruptByte() {
        corrupt(Golden.bytes("reply-mnt"), Mount3Test::decodeMountResult);
        corrupt(Golden.bytes("reply-dump"), Mount3Test::decodeDump);
        corrupt(Golden.bytes("reply-export"), Mount3Test::decodeExports);
    }

    private static void corrupt(byte[] bytes, Decoding decoding) {
        for (int at = 0; at < bytes.length; at++) {
            byte right = bytes[at];
            for (int value = 0; value < 256; value++) {
                bytes[at] = (byte) value;
                try {
                    decoding.decode(bytes);
                } catch (XdrException expected) {
                    assertFalse(expected.getMessage().isEmpty());
                }
            }
            bytes[at] = right;
        }
    }
}
