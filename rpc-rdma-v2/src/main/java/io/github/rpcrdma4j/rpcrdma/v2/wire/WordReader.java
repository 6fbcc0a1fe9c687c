package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads values that {@link XdrReader} has no methods for. Malformed or truncated data causes an
 * XdrException.
 */
public final class WordReader {
    private WordReader() {}

    /** Reads one element of an array. */
    public interface Element<T> {
        T read(XdrReader in) throws XdrException;
    }

    public static long number(XdrReader in) throws XdrException {
        return Integer.toUnsignedLong(in.uint32());
    }

    public static Direction direction(XdrReader in) throws XdrException {
        return in.bool() ? Direction.REPLY : Direction.CALL;
    }

    public static List<Integer> words(XdrReader in, int max) throws XdrException {
        return array(in, Integer.BYTES, max, XdrReader::uint32);
    }

    public static List<Long> numbers(XdrReader in, int max) throws XdrException {
        return array(in, Integer.BYTES, max, WordReader::number);
    }

    /**
     * Reads a count and so many elements.
     *
     * @param elementBytes the fewest bytes of one element
     * @param max the most elements
     */
    public static <T> List<T> array(XdrReader in, int elementBytes, int max, Element<T> element)
            throws XdrException {
        int count = in.count(elementBytes, max);
        var list = new ArrayList<T>(count);
        for (int i = 0; i < count; i++) {
            list.add(element.read(in));
        }
        return list;
    }
}
