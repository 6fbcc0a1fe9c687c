package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The name of a file in a directory, as bytes: NFS gives them no character set ({@code filename3}
 * of RFC 1813, Section 2.4). Any bytes are possible, so one from a peer may be no name at all: see
 * {@link #isSingle} and {@link #isDots}. Immutable.
 */
public final class FileName extends NameBytes {
    /** The name that every directory has for itself. */
    public static final FileName SELF = of(".");

    /** The name that every directory has for the one that it lies in. */
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

    /** Takes all of the bytes as its own if they are meant. */
    FileName(byte[] own, int from, int to) {
        super(from == 0 && to == own.length ? own : Arrays.copyOfRange(own, from, to));
    }

    /**
     * The name in UTF-8.
     *
     * @throws IllegalArgumentException if UTF-8 has no form for it
     */
    public static FileName of(String name) {
        byte[] own = utf8(name);
        return new FileName(own, 0, own.length);
    }

    /**
     * Reads an XDR string of any bytes.
     *
     * @param max the longest that is taken, in bytes
     * @throws XdrException if it is longer, or cut off
     */
    public static FileName decode(XdrReader in, int max) throws XdrException {
        byte[] own = in.bytes(max);
        return new FileName(own, 0, own.length);
    }

    /** Whether it is one name: it is not empty, and neither a slash nor a NUL is in it. */
    public boolean isSingle() {
        for (byte each : bytes) {
            if (each == '/' || each == 0) {
                return false;
            }
        }
        return bytes.length > 0;
    }

    /** Whether it is one of the two names that every directory has. */
    public boolean isDots() {
        return bytes.length > 0
                && bytes.length <= 2
                && bytes[0] == '.'
                && bytes[bytes.length - 1] == '.';
    }
}
