package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * The directories of a server that lead to a file, from the file up. A server can make up trees
 * without end: a directory that holds itself, or always one more. Each directory has its own name
 * alone, so that a deep tree takes little memory.
 *
 * @param name of the directory in the one above, for messages; of the first its path
 * @param above null for the first
 */
public record ParentDirectories(
        FileHandle directory, String name, ParentDirectories above, int depth) {
    /** A tree that is deeper is taken for one without end. */
    static final int DEPTH_MAX = 5000;

    private static final int SHOWN_MAX = 200;

    /** A directory, and those that it is in. */
    public ParentDirectories(FileHandle directory, String name, ParentDirectories above) {
        this(directory, name, above, above == null ? 1 : above.depth + 1);
    }

    /**
     * The path of a file, for messages.
     *
     * @param above the way to it; null if it is the first
     * @param name of the file; of the first its path
     */
    public static String path(ParentDirectories above, String name) {
        var names = new ArrayDeque<String>();
        for (var at = above; at != null; at = at.above) {
            names.addFirst(at.name);
        }
        names.addLast(name);
        return String.join("/", names);
    }

    /** The path of the directory, for messages. */
    public String path() {
        return path(above, name);
    }

    /**
     * Checks a directory before it is entered.
     *
     * @param above the way to it; null for the first
     * @param path of it, for messages
     * @throws IOException if it lies in itself, or too deep
     */
    public static void requireNew(ParentDirectories above, FileHandle directory, String path)
            throws IOException {
        for (var at = above; at != null; at = at.above) {
            if (at.directory.equals(directory)) {
                throw new IOException(shown(path) + ": the server has this directory in itself");
            }
        }
        requireDepth(above == null ? 1 : above.depth + 1, path);
    }

    /**
     * Checks the depth of a directory before it is entered.
     *
     * @param path of it, for messages
     * @throws IOException if it lies too deep
     */
    static void requireDepth(int depth, String path) throws IOException {
        if (depth > DEPTH_MAX) {
            throw new IOException(
                    shown(path) + ": it is more than " + DEPTH_MAX + " directories deep");
        }
    }

    private static String shown(String path) {
        return "cannot go into "
                + (path.length() > SHOWN_MAX ? path.substring(0, SHOWN_MAX) + "..." : path);
    }
}
