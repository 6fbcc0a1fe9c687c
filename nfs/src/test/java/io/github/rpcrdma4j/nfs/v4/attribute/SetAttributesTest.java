package io.github.rpcrdma4j.nfs.v4.attribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes.Decoded;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class SetAttributesTest {
    private static final AttributeSet SUPPORTED =
            SetAttributes.ATTRIBUTES.or(AttributeSet.requiredBy(1)).with(Attribute.FILEID);

    private static final AttributeSet DELEGATED =
            AttributeSet.of(Attribute.TIME_DELEG_ACCESS, Attribute.TIME_DELEG_MODIFY);

    private final SegmentPool pool = new SegmentPool(1 << 20);

    private static Decoded decode(AttributeSet attributes, String values) {
        return SetAttributes.decode(
                EncodedAttributes.of(attributes, HexFormat.of().parseHex(values)),
                SUPPORTED,
                AttributeSet.SETTABLE);
    }

    private static void requireRefused(Nfs4Status status, String values, Attribute... attributes) {
        assertEquals(new Decoded.Refused(status), decode(AttributeSet.of(attributes), values));
    }

    @Test
    void anUnsupportedAttributeIsNotSupported() {
        requireRefused(Nfs4Status.ATTRNOTSUPP, "00000001", Attribute.HIDDEN);
        requireRefused(Nfs4Status.ATTRNOTSUPP, "00000000" + "00000000", Attribute.DACL);
        var unknown = new AttributeSet(Bitmap.of(100));
        assertEquals(new Decoded.Refused(Nfs4Status.ATTRNOTSUPP), decode(unknown, ""));
        var beyond = new AttributeSet(Bitmap.of(Bitmap.LAST));
        assertEquals(new Decoded.Refused(Nfs4Status.ATTRNOTSUPP), decode(beyond, ""));
    }

    /** Goal: a server may support an attribute that the RFC lets clients set, but only to read. */
    @Test
    void aSupportedAttributeThatNothingHereSetsIsInvalid() {
        var hidden = AttributeSet.of(Attribute.HIDDEN);
        var encoded = EncodedAttributes.of(hidden, HexFormat.of().parseHex("00000001"));
        assertEquals(
                new Decoded.Refused(Nfs4Status.INVAL),
                SetAttributes.decode(encoded, SUPPORTED.or(hidden), AttributeSet.SETTABLE));
    }

    @Test
    void aReadOnlyAttributeIsInvalid() {
        requireRefused(Nfs4Status.INVAL, "0000000000000001", Attribute.FILEID);
        requireRefused(Nfs4Status.INVAL, "00000001", Attribute.TYPE);
        requireRefused(Nfs4Status.INVAL, "", Attribute.SUPPATTR_EXCLCREAT);
    }

    /** Goal: it is unsupported even beside an attribute that is read-only. */
    @Test
    void anUnsupportedAttributeIsReportedFirst() {
        requireRefused(Nfs4Status.ATTRNOTSUPP, "", Attribute.TYPE, Attribute.HIDDEN);
    }

    @Test
    void anExclusiveCreationTakesItsAttributesOnly() {
        var mode = EncodedAttributes.of(AttributeSet.of(Attribute.MODE), new byte[4]);
        var size = EncodedAttributes.of(AttributeSet.of(Attribute.SIZE), new byte[8]);
        var allowed = AttributeSet.of(Attribute.MODE);
        assertEquals(
                new Decoded.Accepted(SetAttributes.ofMode(0)),
                SetAttributes.decode(mode, SUPPORTED, allowed));
        assertEquals(
                new Decoded.Refused(Nfs4Status.INVAL),
                SetAttributes.decode(size, SUPPORTED, allowed));
    }

    @Test
    void bytesThatDoNotFitTheBitmapAreMalformed() {
        requireRefused(Nfs4Status.BADXDR, "00000000", Attribute.SIZE);
        requireRefused(Nfs4Status.BADXDR, "000000000000000000000000", Attribute.SIZE);
        requireRefused(Nfs4Status.BADXDR, "00000000");
        requireRefused(Nfs4Status.BADXDR, "0000000931323300", Attribute.OWNER);
        requireRefused(Nfs4Status.BADXDR, "00000002", Attribute.TIME_ACCESS_SET);
        requireRefused(Nfs4Status.BADXDR, "00ffffff", Attribute.ACL);
    }

    @Test
    void impossibleValuesAreInvalid() {
        requireRefused(Nfs4Status.INVAL, "00001000", Attribute.MODE);
        requireRefused(Nfs4Status.INVAL, "000001a4" + "00000200", Attribute.MODE_UMASK);
        requireRefused(
                Nfs4Status.INVAL,
                "00000001" + "0000000000000001" + "3b9aca00",
                Attribute.TIME_MODIFY_SET);
        requireRefused(
                Nfs4Status.INVAL,
                "00000001" + "0000000000000001" + "ffffffff",
                Attribute.TIME_MODIFY_SET);
        requireRefused(Nfs4Status.INVAL, "00000001" + "ff000000", Attribute.OWNER);
        requireRefused(Nfs4Status.INVAL, "00000002" + "c3280000", Attribute.OWNER_GROUP);
        requireRefused(
                Nfs4Status.INVAL,
                "00000001" + "00000000".repeat(3) + "00000001" + "80000000",
                Attribute.ACL);
    }

    @Test
    void aModeAndAUmaskTogetherAreInvalid() {
        requireRefused(
                Nfs4Status.INVAL,
                "000001a4" + "000001a4" + "00000012",
                Attribute.MODE,
                Attribute.MODE_UMASK);
        var umask = OptionalInt.of(022);
        var none = SetAttributes.NONE;
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        new SetAttributes(
                                none.size(),
                                none.acl(),
                                none.mode(),
                                umask,
                                none.owner(),
                                none.group(),
                                none.accessed(),
                                none.modified()));
    }

    /** RFC 9754, Section 5. */
    @Test
    void aTimeIsSetOnce() {
        var time = "0000000000000001" + "00000000";
        var set = "00000001" + time;
        requireRefused(
                Nfs4Status.INVAL,
                set + time,
                Attribute.TIME_ACCESS_SET,
                Attribute.TIME_DELEG_ACCESS);
        requireRefused(
                Nfs4Status.INVAL,
                set + time,
                Attribute.TIME_MODIFY_SET,
                Attribute.TIME_DELEG_MODIFY);
        requireRefused(
                Nfs4Status.INVAL, "0000000000000001" + "3b9aca00", Attribute.TIME_DELEG_MODIFY);
        var both =
                SetAttributes.NONE.withTimes(
                        new TimeChange.To(new Timestamp(1, 0)),
                        new TimeChange.Delegated(new Timestamp(1, 0)));
        assertEquals(
                new Decoded.Accepted(both),
                SetAttributes.decode(both.encoded(pool), SUPPORTED, AttributeSet.SETTABLE));
    }

    @Test
    void nothingToSetIsAccepted() {
        assertEquals(new Decoded.Accepted(SetAttributes.NONE), decode(AttributeSet.NONE, ""));
        assertEquals(EncodedAttributes.NONE, SetAttributes.NONE.encoded(pool));
        assertEquals(0, pool.leased());
    }

    @Test
    void allThatCanBeSetTravels() {
        var changes =
                SetAttributes.ofSize(5)
                        .withAcl(List.of(new Ace(Ace.DENY, 0, Ace.EXECUTE, Who.ofId(7))))
                        .withMode(0640, 022)
                        .withOwner(Optional.of(Who.ofId(-2)), Optional.of(Who.of("users")))
                        .withTimes(
                                new TimeChange.To(new Timestamp(-1, 999_999_999)),
                                new TimeChange.ToServerTime());
        var encoded = changes.encoded(pool);
        var without = AttributeSet.of(Attribute.MODE).or(DELEGATED);
        assertEquals(SetAttributes.ATTRIBUTES.without(without), encoded.attributes());
        assertEquals(
                new Decoded.Accepted(changes),
                SetAttributes.decode(encoded, SUPPORTED, AttributeSet.SETTABLE));
        assertEquals(0, pool.leased());
    }
}
