package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The path of a file within a {@link LocalTree}. It shares the names of its directory, so that a
 * deep tree takes little memory. Immutable.
 */
public final class LocalPath {
    /** The directory at which the tree was opened. */
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
     * Returns the path of a file in this directory.
     *
     * @throws IllegalArgumentException if the name is not that of a single file
     */
    public LocalPath child(FileName childName) {
        if (!childName.isSingle() || childName.isDots()) {
            throw new IllegalArgumentException("not a name: " + childName.escaped());
        }
        return new LocalPath(this, childName, depth + 1);
    }

    /** Returns whether this is the directory at which the tree was opened. */
    public boolean isRoot() {
        return directory == null;
    }

    /**
     * Returns the directory that holds this file.
     *
     * @throws IllegalStateException if this is the root
     */
    public LocalPath directory() {
        if (directory == null) {
            throw new IllegalStateException("the root of a tree lies in no directory of it");
        }
        return directory;
    }

    /** Returns the last name of the path; {@code "."} for the root. */
    public FileName name() {
        return name;
    }

    /** Returns the number of names in the path; 0 for the root. */
    public int depth() {
        return depth;
    }

    /** Returns the names of the path, starting below the root. */
    public List<FileName> names() {
        var names = new ArrayDeque<FileName>(depth);
        for (var at = this; at.directory != null; at = at.directory) {
            names.addFirst(at.name);
        }
        return List.copyOf(names);
    }
}
