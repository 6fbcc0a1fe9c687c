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
 * A path as bytes: the text of a symbolic link, or the path of a mount ({@code nfspath3} and {@code
 * dirpath} of RFC 1813, Sections 2.4 and 5.1.3). Immutable.
 */
public final class PathName extends NameBytes {
    private static final PathName ROOT = of("/");

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
     * Returns the path of a text, encoded in UTF-8.
     *
     * @throws IllegalArgumentException if UTF-8 cannot encode it
     */
    public static PathName of(String path) {
        return new PathName(utf8(path), 0);
    }

    /**
     * Reads an XDR string of any bytes.
     *
     * @param max the longest path to accept, in bytes
     * @throws XdrException if it is longer or truncated
     */
    public static PathName decode(XdrReader in, int max) throws XdrException {
        return new PathName(in.bytes(max), 0);
    }

    /**
     * Returns the names between the slashes, in order. Adjacent slashes have no name between them.
     */
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

    /**
     * Returns whether this can be the text of a symbolic link. No operating system keeps a link
     * whose text is empty or contains a NUL.
     */
    public boolean isLinkText() {
        return bytes.length > 0 && !contains('\0');
    }

    /** Returns whether the path begins with a slash. */
    public boolean isAbsolute() {
        return bytes.length > 0 && bytes[0] == '/';
    }

    /** Returns whether the path ends with a slash, so that only a directory can match it. */
    public boolean endsWithSlash() {
        return bytes.length > 0 && bytes[bytes.length - 1] == '/';
    }

    /** Returns this path with a name appended, after a slash where one is needed. */
    public PathName resolve(FileName name) {
        return resolve(List.of(name));
    }

    /** Returns this path with names appended, each after a slash where one is needed. */
    public PathName resolve(List<FileName> names) {
        int length = bytes.length + names.size();
        for (var each : names) {
            length += each.length();
        }
        byte[] joined = Arrays.copyOf(bytes, length);
        int at = bytes.length;
        for (var each : names) {
            if (at > 0 && joined[at - 1] != '/') {
                joined[at++] = '/';
            }
            System.arraycopy(each.bytes, 0, joined, at, each.length());
            at += each.length();
        }
        return new PathName(at == length ? joined : Arrays.copyOf(joined, at), 0);
    }

    /**
     * Returns the absolute path that leads to the same file without adjacent slashes, without names
     * ".", and without a slash at its end. Names ".." stay: they depend on links.
     *
     * @return this path if it is not absolute
     */
    public PathName normalized() {
        if (!isAbsolute()) {
            return this;
        }
        return ROOT.resolve(names().stream().filter(name -> !name.equals(FileName.SELF)).toList());
    }

    /**
     * Returns the rest of this path behind another path that is equal to it or an ancestor of it.
     *
     * @return no path if the other is neither; no bytes if both are equal; otherwise bytes that
     *     begin with a slash. Below the path "/", an absolute path itself
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
