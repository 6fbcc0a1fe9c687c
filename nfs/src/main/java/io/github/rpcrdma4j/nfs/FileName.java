package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The name of a file in a directory, as bytes: {@code filename3} has no character set (RFC 1813,
 * Section 2.4). A peer may send any bytes, so check a received name with {@link #isSingle} and
 * {@link #isDots}. Immutable.
 */
public final class FileName extends NameBytes {
    /** The longest name that servers accept, in bytes: file systems have this limit. */
    public static final int BYTES_MAX = 255;

    /** The name of a directory in itself. */
    public static final FileName SELF = of(".");

    /** The name of the parent directory in a directory. */
    public static final FileName PARENT = of("..");

    /**
     * @param bytes copied
     */
    public FileName(byte[] bytes) {
        this(bytes.clone(), 0, bytes.length);
    }

    /**
     * @param bytes copied
     */
    public FileName(MemorySegment bytes) {
        super(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Uses the bytes without a copy if the range covers all of them. */
    FileName(byte[] own, int from, int to) {
        super(from == 0 && to == own.length ? own : Arrays.copyOfRange(own, from, to));
    }

    /**
     * Returns the name of a text, encoded in UTF-8.
     *
     * @throws IllegalArgumentException if UTF-8 cannot encode it
     */
    public static FileName of(String name) {
        byte[] own = utf8(name);
        return new FileName(own, 0, own.length);
    }

    /**
     * Reads an XDR string of any bytes.
     *
     * @param max the longest name to accept, in bytes
     * @throws XdrException if it is longer or truncated
     */
    public static FileName decode(XdrReader in, int max) throws XdrException {
        byte[] own = in.bytes(max);
        return new FileName(own, 0, own.length);
    }

    /**
     * Returns whether this can name a file: it is not empty and contains neither a slash nor a NUL.
     */
    public boolean isSingle() {
        for (byte each : bytes) {
            if (each == '/' || each == 0) {
                return false;
            }
        }
        return bytes.length > 0;
    }

    /** Returns whether this is "." or "..". */
    public boolean isDots() {
        return bytes.length > 0
                && bytes.length <= 2
                && bytes[0] == '.'
                && bytes[bytes.length - 1] == '.';
    }
}
