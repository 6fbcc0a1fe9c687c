package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Arrays of a variable length: a count and the elements (RFC 4506, Section 4.13). */
final class XdrArrays {
    private XdrArrays() {}

    /** Reads an element. */
    interface Decoder<T> {
        T decode(XdrReader in) throws XdrException;
    }

    /**
     * Reads an array.
     *
     * @param elementBytes the fewest bytes of an element, so that the message bounds the array
     */
    static <T> List<T> list(XdrReader in, int elementBytes, Decoder<T> decoder)
            throws XdrException {
        return list(in, elementBytes, Integer.MAX_VALUE, decoder);
    }

    /** Reads an array of at most {@code max} elements. */
    static <T> List<T> list(XdrReader in, int elementBytes, int max, Decoder<T> decoder)
            throws XdrException {
        int count = in.count(elementBytes, max);
        var list = new ArrayList<T>(count);
        for (int i = 0; i < count; i++) {
            list.add(decoder.decode(in));
        }
        return List.copyOf(list);
    }

    static <T> void encode(XdrWriter out, List<T> list, BiConsumer<T, XdrWriter> encoder) {
        out.uint32(list.size());
        for (var each : list) {
            encoder.accept(each, out);
        }
    }

    /** Reads an array of at most one element. */
    static <T> Optional<T> optional(XdrReader in, Decoder<T> decoder) throws XdrException {
        return in.count(Integer.BYTES, 1) == 1 ? Optional.of(decoder.decode(in)) : Optional.empty();
    }

    static <T> void encode(XdrWriter out, Optional<T> value, BiConsumer<T, XdrWriter> encoder) {
        out.uint32(value.isPresent() ? 1 : 0);
        value.ifPresent(each -> encoder.accept(each, out));
    }

    /** Returns an exception for an enumeration or a union without such a value. */
    static XdrException unknown(String type, int value) {
        return new XdrException("unknown " + type + " " + Integer.toUnsignedString(value));
    }
}
