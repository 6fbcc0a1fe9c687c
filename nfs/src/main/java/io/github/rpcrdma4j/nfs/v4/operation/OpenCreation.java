package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * Whether OPEN creates a file, and how: {@code openflag4} and {@code createhow4} (RFC 8881, Section
 * 18.16).
 *
 * <pre>
 *   opentype(32) | 0 OPEN4_NOCREATE:
 *                | 1 OPEN4_CREATE: mode(32) | 0 UNCHECKED4: fattr4
 *                                           | 1 GUARDED4: fattr4
 *                                           | 2 EXCLUSIVE4: verifier(64)
 *                                           | 3 EXCLUSIVE4_1: verifier(64) fattr4
 * </pre>
 */
public sealed interface OpenCreation {
    /** {@code OPEN4_NOCREATE}: the file must exist. */
    record None() implements OpenCreation {}

    /** {@code UNCHECKED4}: the file may exist; of the attributes, it then gets a size of 0 only. */
    record Unchecked(EncodedAttributes attributes) implements OpenCreation {}

    /** {@code GUARDED4}: the file must not exist. */
    record Guarded(EncodedAttributes attributes) implements OpenCreation {}

    /** {@code EXCLUSIVE4}: the file must not exist, unless it was created with this verifier. */
    record Exclusive(long verifier) implements OpenCreation {}

    /** {@code EXCLUSIVE4_1}: like EXCLUSIVE4, with attributes. */
    record ExclusiveWithAttributes(long verifier, EncodedAttributes attributes)
            implements OpenCreation {}

    static OpenCreation decode(XdrReader in) throws XdrException {
        int type = in.uint32();
        return switch (type) {
            case 0 -> new None();
            case 1 -> decodeHow(in);
            default -> throw XdrArrays.unknown("opentype4", type);
        };
    }

    private static OpenCreation decodeHow(XdrReader in) throws XdrException {
        int mode = in.uint32();
        return switch (mode) {
            case 0 -> new Unchecked(EncodedAttributes.decode(in));
            case 1 -> new Guarded(EncodedAttributes.decode(in));
            case 2 -> new Exclusive(in.uint64());
            case 3 -> new ExclusiveWithAttributes(in.uint64(), EncodedAttributes.decode(in));
            default -> throw XdrArrays.unknown("createmode4", mode);
        };
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case None() -> out.uint32(0);
            case Unchecked(var attributes) -> attributes.encode(out.uint32(1).uint32(0));
            case Guarded(var attributes) -> attributes.encode(out.uint32(1).uint32(1));
            case Exclusive(var verifier) -> out.uint32(1).uint32(2).uint64(verifier);
            case ExclusiveWithAttributes(var verifier, var attributes) ->
                    attributes.encode(out.uint32(1).uint32(3).uint64(verifier));
        }
    }
}
