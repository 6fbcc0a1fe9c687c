package io.github.rpcrdma4j.nfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: names and paths keep their bytes and report their properties correctly. */
class NamesTest {
    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static FileName name(String text) {
        return new FileName(latin(text));
    }

    @Test
    void keepsItsBytes() {
        byte[] given = latin("lo\u00e9in");
        var name = new FileName(given);
        given[0] = 'x';
        name.bytes()[1] = 'x';
        assertArrayEquals(latin("lo\u00e9in"), name.bytes());
        assertEquals(5, name.length());
        assertEquals(5, name.segment().byteSize());
        assertTrue(name.segment().isReadOnly());
        var path = new PathName(MemorySegment.ofArray(given));
        given[1] = 'x';
        assertArrayEquals(latin("xo\u00e9in"), path.bytes());
    }

    @Test
    void copiesItselfToMemory() {
        byte[] memory = latin("......");
        FileName.of("abc").copyTo(MemorySegment.ofArray(memory), 2);
        assertEquals("..abc.", new String(memory, StandardCharsets.ISO_8859_1));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> FileName.of("abc").copyTo(MemorySegment.ofArray(memory), 4));
    }

    @Test
    void isEqualToOneOfItsKindAndBytes() {
        assertEquals(FileName.of("n\u00e4me"), name("n\u00c3\u00a4me"));
        assertEquals(FileName.of("a").hashCode(), name("a").hashCode());
        assertNotEquals(name("\u00e9"), name("\u00e8"));
        assertNotEquals(FileName.of("a"), PathName.of("a"));
        assertNotEquals(FileName.of("a"), "a");
    }

    @Test
    void knowsWhetherItIsUtf8() {
        for (var text : List.of("", "name", "n\u00e4me", "\u2603", "\ufffd", "\ud83d\ude00")) {
            var name = FileName.of(text);
            assertTrue(name.isUtf8(), text);
            assertEquals(text, name.toString());
            assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), name.bytes());
        }
        // Latin-1; a truncated sequence; an overlong encoding; an unpaired surrogate.
        for (var text : List.of("\u00e9", "a\u00e2\u0098", "\u00c0\u00af", "\u00ed\u00a0\u00bd")) {
            assertFalse(name(text).isUtf8(), text);
            assertTrue(name(text).toString().contains("\ufffd"), text);
        }
    }

    @Test
    void hasNoFormForHalfOfAPair() {
        assertThrows(IllegalArgumentException.class, () -> FileName.of("a\ud83d"));
        assertThrows(IllegalArgumentException.class, () -> PathName.of("\ude00/b"));
    }

    @Test
    void showsEveryNameDifferently() {
        assertEquals(
                "n\u00e4me \u2603 \ud83d\ude00",
                FileName.of("n\u00e4me \u2603 \ud83d\ude00").escaped());
        assertEquals("lo\\xE9in", name("lo\u00e9in").escaped());
        assertEquals("lo\\x5CxE9in", FileName.of("lo\\xE9in").escaped());
        assertEquals(
                "\\x1B[2J\\x0A\\x7F\\xC2\\x9B", FileName.of("\u001b[2J\n\u007f\u009b").escaped());
        assertEquals("a\\xE2\\x98", name("a\u00e2\u0098").escaped());
        assertEquals("\\xE2\\x98b\\xFF\\xFF", name("\u00e2\u0098b\u00ff\u00ff").escaped());
        assertEquals("", FileName.of("").escaped());
    }

    @Test
    void knowsWhetherItIsOneName() {
        for (var text : List.of("a", ".", "..", "...", "\u00e9", " ", "a\\b")) {
            assertTrue(name(text).isSingle(), text);
        }
        for (var text : List.of("", "/", "a/", "/a", "a/b", "\0", "a\0", "../a")) {
            assertFalse(name(text).isSingle(), text);
        }
        assertTrue(FileName.SELF.isDots() && FileName.PARENT.isDots());
        for (var text : List.of("", "...", ".a", "a.", "a")) {
            assertFalse(name(text).isDots(), text);
        }
        assertTrue(name("a/b").contains('/') && name("a\0").contains('\0'));
        assertFalse(name("ab").contains('/'));
    }

    private static List<FileName> names(String path) {
        return new PathName(latin(path)).names();
    }

    @Test
    void splitsPaths() {
        assertEquals(List.of(), names(""));
        assertEquals(List.of(), names("//"));
        assertEquals(List.of(name("a")), names("a"));
        assertEquals(List.of(name("a"), name("\u00e9"), name("..")), names("/a//\u00e9/../"));
    }

    @Test
    void findsPathsBelowOthers() {
        var export = PathName.of("/data");
        assertEquals(Optional.of(PathName.of("")), PathName.of("/data").below(export));
        assertEquals(Optional.of(PathName.of("/")), PathName.of("/data/").below(export));
        assertEquals(
                Optional.of(new PathName(latin("/\u00e9"))),
                new PathName(latin("/data/\u00e9")).below(export));
        for (var other : List.of("", "/", "/dat", "/datas", "data", "/other/data")) {
            assertEquals(Optional.empty(), PathName.of(other).below(export), other);
        }
    }

    @Test
    void travelsAsAnXdrString() throws Exception {
        var name = name("\u00e9x");
        byte[] bytes = Golden.flat(name::encode);
        assertArrayEquals(new byte[] {0, 0, 0, 2, (byte) 0xe9, 'x', 0, 0}, bytes);
        assertEquals(name, FileName.decode(Golden.reader(bytes), 2));
        assertEquals(new PathName(name.bytes()), PathName.decode(Golden.reader(bytes), 2));
        assertThrows(XdrException.class, () -> FileName.decode(Golden.reader(bytes), 1));
        assertThrows(XdrException.class, () -> PathName.decode(Golden.reader(bytes), 1));
        assertEquals(MemorySegment.ofArray(name.bytes()).mismatch(name.segment()), -1);
        assertEquals('x', name.segment().get(ValueLayout.JAVA_BYTE, 1));
    }
}
