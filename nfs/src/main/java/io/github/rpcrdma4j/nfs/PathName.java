package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A path as bytes: the text of a symbolic link, or what is mounted ({@code nfspath3} and {@code
 * dirpath} of RFC 1813, Sections 2.4 and 5.1.3). Immutable.
 */
public final class PathName extends NameBytes {
    private PathName(byte[] bytes, int from) {
        super(from == 0 ? bytes : Arrays.copyOfRange(bytes, from, bytes.length));
    }

    /**
     * @param bytes copied
     */
    public PathName(byte[] bytes) {
        this(bytes.clone(), 0);
    }

    /**
     * @param bytes copied
     */
    public PathName(MemorySegment bytes) {
        this(bytes.toArray(ValueLayout.JAVA_BYTE), 0);
    }

    /**
     * The path in UTF-8.
     *
     * @throws IllegalArgumentException if UTF-8 has no form for it
     */
    public static PathName of(String path) {
        return new PathName(utf8(path), 0);
    }

    /**
     * Reads an XDR string of any bytes.
     *
     * @param max the longest that is taken, in bytes
     * @throws XdrException if it is longer, or cut off
     */
    public static PathName decode(XdrReader in, int max) throws XdrException {
        return new PathName(in.bytes(max), 0);
    }

    /** The names between the slashes, in order; between two slashes that touch there is none. */
    public List<FileName> names() {
        var names = new ArrayList<FileName>();
        int start = 0;
        for (int at = 0; at <= bytes.length; at++) {
            if (at == bytes.length || bytes[at] == '/') {
                if (at > start) {
                    names.add(new FileName(bytes, start, at));
                }
                start = at + 1;
            }
        }
        return names;
    }

    /** Whether it starts at the top rather than where it is used. */
    public boolean isAbsolute() {
        return bytes.length > 0 && bytes[0] == '/';
    }

    /** Whether it ends with a slash, so that it can only be a directory. */
    public boolean endsWithSlash() {
        return bytes.length > 0 && bytes[bytes.length - 1] == '/';
    }

    /** This path with a name behind it. */
    public PathName resolve(FileName name) {
        boolean slash = bytes.length > 0 && !endsWithSlash();
        byte[] joined = Arrays.copyOf(bytes, bytes.length + (slash ? 1 : 0) + name.length());
        if (slash) {
            joined[bytes.length] = '/';
        }
        System.arraycopy(name.bytes, 0, joined, joined.length - name.length(), name.length());
        return new PathName(joined, 0);
    }

    /**
     * What follows a path that this one is, or that it leads below of.
     *
     * @return empty if it does neither; else empty bytes, or what starts with a slash; below the
     *     path "/" an absolute path itself
     */
    public Optional<PathName> below(PathName path) {
        if (path.bytes.length == 1 && path.isAbsolute()) {
            return isAbsolute() ? Optional.of(this) : Optional.empty();
        }
        int length = path.bytes.length;
        boolean leads =
                bytes.length >= length
                        && Arrays.equals(bytes, 0, length, path.bytes, 0, length)
                        && (bytes.length == length || bytes[length] == '/');
        return leads ? Optional.of(new PathName(bytes, length)) : Optional.empty();
    }
}
