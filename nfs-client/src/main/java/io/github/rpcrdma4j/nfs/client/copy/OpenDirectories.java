package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedSet;

/**
 * The directories of a local tree that a copy lists or fills at the moment. Each of them is the
 * directory that was found or made, also if its name leads elsewhere later. Only some of them stay
 * open at the same time; another one is opened again by its path, and counts only if it is the same
 * file. Thread-safe.
 */
final class OpenDirectories implements AutoCloseable {
    /** How many directories stay open that no job uses. */
    static final int IDLE_MAX = 256;

    private final LocalTree tree;
    private final int idleMax;
    private final Directory root;

    /** Open directories that no job uses; the first was not used for the longest time. */
    private final SequencedSet<Directory> idle = new LinkedHashSet<>();

    /**
     * Creates the set of no directory.
     *
     * @param tree closed by its owner, after this object
     */
    OpenDirectories(LocalTree tree) {
        this(tree, IDLE_MAX);
    }

    /** Creates the set of no directory, with a limit of its own for directories that stay open. */
    OpenDirectories(LocalTree tree, int idleMax) {
        this.tree = tree;
        this.idleMax = idleMax;
        this.root = new Directory(LocalPath.ROOT, null);
    }

    /** A directory. */
    final class Directory {
        private final LocalPath path;
        private final LocalStatus found;

        /** Null while the directory is closed; guarded by the set. */
        private LocalTree open;

        private int users;
        private boolean isEnded;

        private Directory(LocalPath path, LocalStatus found) {
            this.path = path;
            this.found = found;
        }

        /** Returns the attributes with which the directory was found or made. */
        LocalStatus found() {
            return found;
        }

        /** Returns the place of a file in it. */
        Place place(FileName name) {
            return new Place(this, LocalPath.ROOT.child(name), path.child(name));
        }

        /** Begins a use of the directory itself. */
        Use use(String what) throws IOException {
            return new Place(this, LocalPath.ROOT, path).use(what);
        }

        /** Closes the directory, when the last use has ended. */
        void end() {
            synchronized (OpenDirectories.this) {
                isEnded = true;
                if (users == 0) {
                    idle.remove(this);
                    close();
                }
            }
        }

        private LocalTree taken(String what) throws IOException {
            synchronized (OpenDirectories.this) {
                if (this == root) {
                    return tree;
                }
                if (open == null) {
                    open = tree.below(path, found, what);
                }
                idle.remove(this);
                users++;
                return open;
            }
        }

        private void given() {
            synchronized (OpenDirectories.this) {
                if (this != root && --users == 0) {
                    if (isEnded) {
                        close();
                    } else {
                        keep(this);
                    }
                }
            }
        }

        private void close() {
            if (open != null) {
                open.close();
                open = null;
            }
        }
    }

    /**
     * Where a file is, or will be.
     *
     * @param file its path in the directory
     * @param path its path in the tree, for messages and rules
     * @param isMissing whether the directory of the file is missing, so that nothing is there
     */
    record Place(Directory directory, LocalPath file, LocalPath path, boolean isMissing) {
        private Place(Directory directory, LocalPath file, LocalPath path) {
            this(directory, file, path, false);
        }

        /** Returns the place of a file in this directory, which is missing. */
        Place child(FileName name) {
            return new Place(directory, file.child(name), path.child(name), true);
        }

        /**
         * Begins a use of the directory.
         *
         * @throws IOException if it was closed, and cannot be opened again
         */
        Use use(String what) throws IOException {
            return new Use(this, directory.taken(what));
        }
    }

    /**
     * A use of a directory, which stays open until its end.
     *
     * @param in the directory, as a tree of its own
     */
    record Use(Place place, LocalTree in) implements AutoCloseable {
        /** Returns the path of the file in the directory. */
        LocalPath file() {
            return place.file;
        }

        /** Returns the path of the file in the whole tree, for messages and rules. */
        LocalPath path() {
            return place.path;
        }

        /** Returns the file, if there is one. */
        Optional<LocalStatus> find(String what) throws IOException {
            return place.isMissing ? Optional.empty() : in.find(place.file, what);
        }

        @Override
        public void close() {
            place.directory.given();
        }
    }

    /** Returns the place of a file that is reached by its path from the top of the tree. */
    Place place(LocalPath path) {
        return new Place(root, path, path);
    }

    /**
     * Opens a directory, which counts until its end.
     *
     * @param found the directory when it was found or made
     * @throws IOException also if another file has its name now
     */
    Directory open(Use at, LocalStatus found, String what) throws IOException {
        var directory = new Directory(at.path(), found);
        directory.open = at.in().below(at.file(), found, what);
        keep(directory);
        return directory;
    }

    private synchronized void keep(Directory directory) {
        idle.addLast(directory);
        while (idle.size() > idleMax) {
            idle.removeFirst().close();
        }
    }

    @Override
    public synchronized void close() {
        idle.forEach(Directory::close);
        idle.clear();
    }
}
