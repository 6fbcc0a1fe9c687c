package io.github.rpcrdma4j.nfs.v4.attribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class AttributeWriterTest {
    private static final AttributeSet SIZE_AND_MODE =
            AttributeSet.of(Attribute.SIZE, Attribute.MODE);

    private static final AttributeSet SUPPORTED =
            SIZE_AND_MODE
                    .with(Attribute.RDATTR_ERROR)
                    .with(Attribute.TIME_MODIFY_SET)
                    .with(Attribute.RAWDEV);

    private final SegmentPool pool = new SegmentPool(1 << 20);

    /** A file of 5 bytes with mode 644, of which nothing else is known. */
    private static FileFacts facts() throws XdrException {
        return ReadAttributes.decode(encoded(SIZE_AND_MODE, "0000000000000005" + "000001a4"));
    }

    private static EncodedAttributes encoded(AttributeSet attributes, String values) {
        return EncodedAttributes.of(attributes, HexFormat.of().parseHex(values));
    }

    @Test
    void attributesThatAreNotPresentAreLeftOut() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var wanted = new AttributeSet(Bitmap.of(4, 20, 99));
            AttributeWriter.encode(out.uint32(7), wanted, facts());
            assertEquals(
                    "00000007" + "00000001" + "00000010" + "00000008" + "0000000000000005",
                    HexFormat.of().formatHex(out.reducedStream().toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    private Nfs4Status compare(AttributeSet attributes, String values) throws XdrException {
        try (var out = new XdrWriter(pool)) {
            out.uint32(7);
            var status =
                    AttributeWriter.compare(out, encoded(attributes, values), SUPPORTED, facts());
            assertEquals(4, out.reducedLength());
            return status;
        }
    }

    @Test
    void equalValuesAreTheSame() throws XdrException {
        assertEquals(Nfs4Status.SAME, compare(SIZE_AND_MODE, "0000000000000005" + "000001a4"));
        assertEquals(Nfs4Status.SAME, compare(AttributeSet.NONE, ""));
    }

    @Test
    void otherValuesAreNotTheSame() throws XdrException {
        assertEquals(Nfs4Status.NOT_SAME, compare(SIZE_AND_MODE, "0000000000000006" + "000001a4"));
        var size = AttributeSet.of(Attribute.SIZE);
        assertEquals(Nfs4Status.NOT_SAME, compare(size, "00000000"));
        assertEquals(Nfs4Status.NOT_SAME, compare(size, "0000000000000005" + "00000000"));
    }

    /** Source: RFC 8881, Section 18.31.3. */
    @Test
    void attributesWithoutValuesAreNotCompared() throws XdrException {
        assertEquals(
                Nfs4Status.ATTRNOTSUPP, compare(AttributeSet.of(Attribute.HIDDEN), "00000000"));
        assertEquals(
                Nfs4Status.ATTRNOTSUPP, compare(AttributeSet.of(Attribute.RAWDEV), "00000000"));
        assertEquals(
                Nfs4Status.INVAL, compare(AttributeSet.of(Attribute.RDATTR_ERROR), "00000000"));
        assertEquals(
                Nfs4Status.INVAL, compare(AttributeSet.of(Attribute.TIME_MODIFY_SET), "00000000"));
    }

    @Test
    void aValueThatIsNotThereIsAMistakeOfTheCaller() throws XdrException {
        var facts = facts();
        assertThrows(IllegalArgumentException.class, () -> facts.word(Attribute.SIZE));
        assertThrows(IllegalArgumentException.class, () -> facts.flag(Attribute.HIDDEN));
        assertThrows(IllegalArgumentException.class, facts::fileSystem);
        assertThrows(IllegalArgumentException.class, facts::acl);
    }
}
