package io.github.rpcrdma4j.nfs.nio.path;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The names of a path, which are bytes. Adjacent slashes, and one at the end, mean nothing. The
 * empty path has one empty name. Immutable.
 */
public final class PathText implements Comparable<PathText> {
    /** The root of the server. */
    public static final PathText ROOT = new PathText(true, List.of());

    /** The path of no bytes, which means the working directory. */
    public static final PathText EMPTY = new PathText(false, List.of(new FileName(new byte[0])));

    private final boolean isAbsolute;
    private final List<FileName> names;

    private PathText(boolean isAbsolute, List<FileName> names) {
        this.isAbsolute = isAbsolute;
        this.names = names;
    }

    private static PathText of(boolean isAbsolute, List<FileName> names) {
        return names.isEmpty() && !isAbsolute ? EMPTY : new PathText(isAbsolute, names);
    }

    /**
     * Returns the path of bytes.
     *
     * @throws InvalidPathException if one of them is 0
     */
    public static PathText of(PathName bytes) {
        if (bytes.contains('\0')) {
            throw new InvalidPathException(RawText.of(bytes.bytes()), "no name has a NUL");
        }
        return of(bytes.isAbsolute(), List.copyOf(bytes.names()));
    }

    /**
     * Returns the path of a text: {@link RawText}.
     *
     * @throws InvalidPathException if a character of it stands for no bytes, or for a NUL
     */
    public static PathText of(String text) {
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            if (character >= Character.MIN_SURROGATE
                    && character <= Character.MAX_SURROGATE
                    && !RawText.isByte((char) character)) {
                throw new InvalidPathException(text, "an unpaired surrogate", i);
            }
            i += Character.charCount(character);
        }
        return of(new PathName(RawText.bytes(text)));
    }

    /** Returns the path of one name, which may be no dots and have no slash. */
    public static PathText of(FileName name) {
        return new PathText(false, List.of(name));
    }

    /** Returns the bytes, as a server takes them. */
    public PathName bytes() {
        return (isAbsolute ? PathName.of("/") : PathName.of("")).resolve(names);
    }

    /** Returns whether the path begins at the root. */
    public boolean isAbsolute() {
        return isAbsolute;
    }

    /** Returns whether it is the path of no bytes. */
    public boolean isEmpty() {
        return equals(EMPTY);
    }

    /** Returns the number of names; 0 for the root alone. */
    public int count() {
        return names.size();
    }

    /** Returns the last name. */
    public FileName last() {
        return names.getLast();
    }

    /**
     * Returns some names as a relative path.
     *
     * @throws IllegalArgumentException if there are none of these numbers
     */
    public PathText sub(int from, int to) {
        if (from < 0 || to > names.size() || from >= to) {
            throw new IllegalArgumentException("no names from " + from + " to " + to);
        }
        return of(false, names.subList(from, to));
    }

    /** Returns the path without its last name; null if nothing is left. */
    public PathText parent() {
        int left = names.size() - 1;
        return left < 0 || left == 0 && !isAbsolute ? null : of(isAbsolute, names.subList(0, left));
    }

    /** Returns whether this path begins with all names of another one. */
    public boolean startsWith(PathText other) {
        return isAbsolute == other.isAbsolute
                && isEmpty() == other.isEmpty()
                && other.names.size() <= names.size()
                && names.subList(0, other.names.size()).equals(other.names);
    }

    /** Returns whether this path ends with all names of another one. */
    public boolean endsWith(PathText other) {
        if (other.isAbsolute || other.isEmpty() || isEmpty()) {
            return equals(other);
        }
        int before = names.size() - other.names.size();
        return before >= 0 && names.subList(before, names.size()).equals(other.names);
    }

    /** Returns the path without dots, as far as no link has to be known for it. */
    public PathText normalize() {
        var left = new ArrayList<FileName>();
        for (var name : names) {
            boolean isParent = name.equals(FileName.PARENT);
            if (isParent && !left.isEmpty() && !left.getLast().equals(FileName.PARENT)) {
                left.removeLast();
            } else if (!name.equals(FileName.SELF) && !(isParent && isAbsolute)) {
                left.add(name);
            }
        }
        return left.size() == names.size() ? this : of(isAbsolute, List.copyOf(left));
    }

    /** Returns another path as it is meant in the directory of this one. */
    public PathText resolve(PathText other) {
        if (other.isAbsolute || isEmpty()) {
            return other;
        }
        if (other.isEmpty()) {
            return this;
        }
        var all = new ArrayList<FileName>(names.size() + other.names.size());
        all.addAll(names);
        all.addAll(other.names);
        return new PathText(isAbsolute, List.copyOf(all));
    }

    /**
     * Returns the path that leads from this one to another one.
     *
     * @throws IllegalArgumentException if only one of them is absolute, or if the names of this one
     *     do not tell how to leave it
     */
    public PathText relativize(PathText other) {
        if (isAbsolute != other.isAbsolute) {
            throw new IllegalArgumentException("one path is absolute, the other is not");
        }
        if (equals(other)) {
            return EMPTY;
        }
        if (isEmpty()) {
            return other;
        }
        boolean hasDots = hasDots() || other.hasDots();
        return hasDots ? normalize().between(other.normalize()) : between(other);
    }

    private boolean hasDots() {
        return names.stream().anyMatch(FileName::isDots);
    }

    private PathText between(PathText other) {
        var here = isEmpty() ? List.<FileName>of() : names;
        var there = other.isEmpty() ? List.<FileName>of() : other.names;
        int common = 0;
        int most = Math.min(here.size(), there.size());
        while (common < most && here.get(common).equals(there.get(common))) {
            common++;
        }
        var left = here.subList(common, here.size());
        if (left.contains(FileName.PARENT)) {
            throw new IllegalArgumentException("nothing tells what is above " + this);
        }
        var path = new ArrayList<FileName>();
        left.forEach(_ -> path.add(FileName.PARENT));
        path.addAll(there.subList(common, there.size()));
        return of(false, List.copyOf(path));
    }

    /** Compares the bytes, as unsigned numbers. */
    @Override
    public int compareTo(PathText other) {
        return Arrays.compareUnsigned(bytes().bytes(), other.bytes().bytes());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathText path
                && isAbsolute == path.isAbsolute
                && names.equals(path.names);
    }

    @Override
    public int hashCode() {
        return bytes().hashCode();
    }

    /** Returns the bytes as text: {@link RawText}. */
    @Override
    public String toString() {
        return RawText.of(bytes().bytes());
    }
}
