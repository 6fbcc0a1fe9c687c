package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Changes the values of attributes in listings and in answers to GETATTR. */
final class AttributeChange {
    /** The bytes of the values in front of those that are changed, in the order of the bits. */
    private static final Map<Attribute, Integer> BYTES =
            Map.of(
                    Attribute.TYPE, 4,
                    Attribute.FH_EXPIRE_TYPE, 4,
                    Attribute.CHANGE, 8,
                    Attribute.SIZE, 8,
                    Attribute.LINK_SUPPORT, 4,
                    Attribute.SYMLINK_SUPPORT, 4,
                    Attribute.FSID, 16,
                    Attribute.LEASE_TIME, 4,
                    Attribute.RDATTR_ERROR, 4,
                    Attribute.FILEID, 8);

    private AttributeChange() {}

    /** Changes all attributes. */
    static Supplier<Lying> all(UnaryOperator<EncodedAttributes> change) {
        return Lies.told(
                honest ->
                        honest.with(
                                        AttributeResult.GetAttr.class,
                                        each ->
                                                new AttributeResult.GetAttr(
                                                        change.apply(
                                                                ((AttributeResult.GetAttr) each)
                                                                        .attributes())))
                                .with(
                                        NameResult.ReadDir.class,
                                        each -> entries((NameResult.ReadDir) each, change)));
    }

    private static NameResult.ReadDir entries(
            NameResult.ReadDir honest, UnaryOperator<EncodedAttributes> change) {
        return new NameResult.ReadDir(
                honest.verifier(),
                honest.entries().stream()
                        .map(
                                each ->
                                        new NameResult.ReadDir.Entry(
                                                each.cookie(),
                                                each.name(),
                                                change.apply(each.attributes())))
                        .toList(),
                honest.isLast());
    }

    /** Returns whether they are those of a regular file, and tell its type first. */
    static boolean isRegular(EncodedAttributes honest) {
        var told = honest.attributes();
        return told.has(Attribute.TYPE)
                && !told.has(Attribute.SUPPORTED_ATTRS)
                && values(honest)[3] == 1;
    }

    /** Overwrites the bytes of one attribute, if it is told. */
    static Supplier<Lying> of(Attribute changed, byte[] value) {
        return all(honest -> overwritten(honest, changed, value));
    }

    private static EncodedAttributes overwritten(
            EncodedAttributes honest, Attribute changed, byte[] value) {
        if (!honest.attributes().has(changed)) {
            return honest;
        }
        int at = 0;
        for (var each : Attribute.values()) {
            if (each == changed) {
                break;
            }
            if (honest.attributes().has(each)) {
                if (!BYTES.containsKey(each)) {
                    return honest;
                }
                at += BYTES.get(each);
            }
        }
        byte[] values = values(honest);
        System.arraycopy(value, 0, values, at, value.length);
        return EncodedAttributes.of(honest.attributes(), values);
    }

    private static byte[] values(EncodedAttributes attributes) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            attributes.encode(out);
            var in =
                    new XdrReader(
                            MemorySegment.ofArray(
                                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE)));
            int words = in.uint32();
            for (int i = 0; i < words; i++) {
                in.uint32();
            }
            return in.bytes(Integer.MAX_VALUE);
        } catch (XdrException malformed) {
            throw new AssertionError(malformed);
        }
    }
}
