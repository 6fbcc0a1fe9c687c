package io.github.rpcrdma4j.nfs.v4.attribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AttributeSetTest {
    private final SegmentPool pool = new SegmentPool(1 << 20);

    private static Bitmap bitmap(String hex) throws XdrException {
        var in = new XdrReader(MemorySegment.ofArray(HexFormat.of().parseHex(hex)));
        var bitmap = Bitmap.decode(in);
        in.finish();
        return bitmap;
    }

    private String hex(Bitmap bitmap) {
        try (var out = new XdrWriter(pool)) {
            bitmap.encode(out);
            return HexFormat.of().formatHex(out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void aBitmapHasWordsUpToTheLastNumber() throws XdrException {
        assertEquals("00000000", hex(Bitmap.EMPTY));
        assertEquals("00000001" + "00000001", hex(Bitmap.of(0)));
        assertEquals("00000001" + "80000000", hex(Bitmap.of(31)));
        assertEquals("00000002" + "00000000" + "00000001", hex(Bitmap.of(32)));
        assertEquals("00000003" + "00000000".repeat(2) + "00000001", hex(Bitmap.of(64)));
        assertEquals("00000004" + "00000000".repeat(3) + "80000001", hex(Bitmap.of(96, 127)));
        assertEquals(Bitmap.of(1), bitmap("00000003" + "00000002" + "00000000".repeat(2)));
    }

    /** Goal: a long bitmap costs nothing, and its numbers are not lost. */
    @Test
    void numbersBeyondTheLastOneCountAsTheLastOne() throws XdrException {
        var words = "00000000".repeat(1000);
        assertEquals(Bitmap.EMPTY, bitmap("000003e8" + words));
        assertEquals(Bitmap.of(Bitmap.LAST), bitmap("000003e9" + words + "00000100"));
        assertThrows(XdrException.class, () -> bitmap("ffffffff" + "00000000"));
        assertThrows(XdrException.class, () -> bitmap("00000002" + "00000000"));
        assertThrows(IllegalArgumentException.class, () -> Bitmap.of(128));
        assertThrows(IllegalArgumentException.class, () -> Bitmap.of(-1));
    }

    /** Goal: bitmaps are sets. Method: compare them with sets of random numbers. */
    @Test
    void bitmapsAreSets() throws XdrException {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            var one = numbers(random);
            var other = numbers(random);
            var both = new TreeSet<>(one);
            both.retainAll(other);
            var rest = new TreeSet<>(one);
            rest.removeAll(other);
            var any = new TreeSet<>(one);
            any.addAll(other);
            var left = of(one);
            var right = of(other);
            assertEquals(of(both), left.and(right));
            assertEquals(of(rest), left.without(right));
            assertEquals(of(any), left.or(right));
            assertEquals(one.containsAll(other), left.hasAll(right));
            assertEquals(one, listed(left));
            assertEquals(left, bitmap(hex(left)));
        }
    }

    private static TreeSet<Integer> numbers(Random random) {
        var numbers = new TreeSet<Integer>();
        for (int i = random.nextInt(8); i > 0; i--) {
            numbers.add(random.nextInt(Bitmap.LAST + 1));
        }
        return numbers;
    }

    private static Bitmap of(TreeSet<Integer> numbers) {
        return Bitmap.of(numbers.stream().mapToInt(each -> each).toArray());
    }

    private static TreeSet<Integer> listed(Bitmap bitmap) {
        var numbers = new TreeSet<Integer>();
        for (int i = bitmap.next(0); i >= 0; i = bitmap.next(i + 1)) {
            assertTrue(bitmap.has(i));
            numbers.add(i);
        }
        return numbers;
    }

    @Test
    void minorVersionsAddAttributes() {
        var first = AttributeSet.ofMinorVersion(1);
        assertTrue(first.has(Attribute.SUPPATTR_EXCLCREAT));
        assertFalse(first.has(Attribute.CLONE_BLKSIZE));
        var second = AttributeSet.ofMinorVersion(2);
        assertTrue(second.hasAll(first) && second.has(Attribute.OPEN_ARGUMENTS));
        assertFalse(AttributeSet.ofMinorVersion(0).has(Attribute.DIR_NOTIF_DELAY));
        assertTrue(AttributeSet.ofMinorVersion(0).has(Attribute.MOUNTED_ON_FILEID));
    }

    /** Source: RFC 8881, Section 5.6. */
    @Test
    void theRequiredAttributesAreThoseOfTheRfc() {
        assertEquals(
                "[0 1 2 3 4 5 6 7 8 9 10 11 19 75]",
                AttributeSet.requiredBy(1).numbers().toString());
        assertEquals(
                "[0 1 2 3 4 5 6 7 8 9 10 11 19]", AttributeSet.requiredBy(0).numbers().toString());
    }

    /**
     * Source: column "Acc" of RFC 8881, Sections 5.6 and 5.7, and of the RFCs of later attributes.
     */
    @Test
    void theSettableAttributesAreThoseOfTheRfcs() {
        assertEquals(
                "[4 12 14 25 32 33 36 37 46 48 49 50 54 58 59 63 70 72 73 74 80 81 84 85]",
                AttributeSet.SETTABLE.numbers().toString());
        var writeOnly = AttributeSet.SETTABLE.without(AttributeSet.READABLE);
        assertEquals("[48 54 63 70 72 74 81]", writeOnly.numbers().toString());
    }

    @Test
    void aSetShowsNamesAndUnknownNumbers() {
        assertEquals("[SIZE MODE 100]", new AttributeSet(Bitmap.of(4, 33, 100)).toString());
        assertEquals(
                AttributeSet.of(Attribute.MODE),
                AttributeSet.of(Attribute.SIZE, Attribute.MODE).without(Attribute.SIZE));
    }

    @Test
    void aNumericOwnerIsAnId() {
        assertEquals(0, Who.of("0").id().orElseThrow());
        assertEquals(-2, Who.of("4294967294").id().orElseThrow());
        assertEquals(Who.of("4294967294"), Who.ofId(-2));
        for (var text : new String[] {"", "00", "01", "-1", "+1", "1 ", "a", "4294967295"}) {
            assertTrue(Who.of(text).id().isEmpty(), text);
        }
        assertTrue(Who.of("99999999999999999999").id().isEmpty());
        assertTrue(Who.of(new byte[] {(byte) 0xb9}).id().isEmpty());
    }
}
