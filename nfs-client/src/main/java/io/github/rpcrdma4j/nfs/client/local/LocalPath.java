package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.ArrayDeque;
import java.util.List;

/**
 * A file in a {@link LocalTree}, by the names that lead to it. It shares the names of its
 * directory, so that a deep tree takes little memory. Immutable.
 */
public final class LocalPath {
    /** The directory that a tree was opened at. */
    public static final LocalPath ROOT = new LocalPath(null, FileName.SELF, 0);

    private final LocalPath directory;
    private final FileName name;
    private final int depth;

    private LocalPath(LocalPath directory, FileName name, int depth) {
        this.directory = directory;
        this.name = name;
        this.depth = depth;
    }

    /**
     * A file in this directory.
     *
     * @throws IllegalArgumentException if the bytes are not the name of one file
     */
    public LocalPath child(FileName childName) {
        if (!childName.isSingle() || childName.isDots()) {
            throw new IllegalArgumentException("not a name: " + childName.escaped());
        }
        return new LocalPath(this, childName, depth + 1);
    }

    /** Whether this is the directory that the tree was opened at. */
    public boolean isRoot() {
        return directory == null;
    }

    /**
     * The directory that it lies in.
     *
     * @throws IllegalStateException if it is the root
     */
    public LocalPath directory() {
        if (directory == null) {
            throw new IllegalStateException("the root of a tree lies in no directory of it");
        }
        return directory;
    }

    /** Its last name; {@code "."} for the root. */
    public FileName name() {
        return name;
    }

    /** How many names lead to it; 0 for the root. */
    public int depth() {
        return depth;
    }

    /** The names that lead to it, from the root on. */
    public List<FileName> names() {
        var names = new ArrayDeque<FileName>(depth);
        for (var at = this; at.directory != null; at = at.directory) {
            names.addFirst(at.name);
        }
        return List.copyOf(names);
    }
}
