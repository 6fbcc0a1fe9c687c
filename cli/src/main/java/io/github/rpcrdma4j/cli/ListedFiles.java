package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of a tree that a list of files names, as with {@code --files-from} of {@code rsync}.
 * Thread-safe.
 */
final class ListedFiles {
    /** A name of the list, or one that leads to it. */
    private static final class Node {
        private final Map<FileName, Node> below = new LinkedHashMap<>();
        private boolean isListed;

        /** Whether a slash is behind the name: what is in the directory belongs to the part. */
        private boolean hasContents;

        private volatile boolean isFound;
    }

    /** What a file of the tree is for the list. */
    enum Part {
        /** It does not belong to it. */
        NONE,
        /** A directory that leads to a listed file. */
        ABOVE,
        /** It is listed, or in a listed directory. */
        LISTED
    }

    private final Node top = new Node();
    private final boolean isRecursive;

    private ListedFiles(boolean isRecursive) {
        this.isRecursive = isRecursive;
    }

    /**
     * Reads a list. Names are relative to the top of the tree, also with a slash at their start,
     * and names ".." lead no higher. Empty lines and those that begin with {@code #} or {@code ;}
     * do not count.
     *
     * @param hasZeros whether names end with zero bytes; otherwise they end with their line
     * @param isRecursive whether all that is below a listed directory is listed, too
     */
    static ListedFiles parse(byte[] list, boolean hasZeros, boolean isRecursive) {
        var files = new ListedFiles(isRecursive);
        int from = 0;
        for (int at = 0; at <= list.length; at++) {
            if (at == list.length || isEnd(list[at], hasZeros)) {
                if (at > from && list[from] != '#' && list[from] != ';') {
                    files.add(new PathName(Arrays.copyOfRange(list, from, at)));
                }
                from = at + 1;
            }
        }
        return files;
    }

    private static boolean isEnd(byte character, boolean hasZeros) {
        return hasZeros ? character == 0 : character == '\n' || character == '\r';
    }

    private void add(PathName path) {
        var names = new ArrayList<FileName>();
        boolean hasContents = path.endsWithSlash();
        for (var name : path.names()) {
            hasContents = path.endsWithSlash() || name.isDots();
            if (!name.isDots()) {
                names.add(name);
            } else if (name.equals(FileName.PARENT) && !names.isEmpty()) {
                names.removeLast();
            }
        }
        var node = top;
        for (var name : names) {
            node = node.below.computeIfAbsent(name, _ -> new Node());
        }
        node.isListed = true;
        node.hasContents |= hasContents;
    }

    /**
     * Returns what a file is. Remembers that it is there.
     *
     * @param path from the top of the tree, without a slash at its start
     */
    Part part(PathName path, FileType type) {
        var node = top;
        var names = path.names();
        for (int i = 0; i < names.size(); i++) {
            boolean holdsAll = node.isListed && isRecursive;
            boolean holdsThis = node.isListed && node.hasContents && i == names.size() - 1;
            var next = node.below.get(names.get(i));
            if (holdsAll || holdsThis) {
                found(node, names.subList(i, names.size()));
                return Part.LISTED;
            }
            if (next == null) {
                return Part.NONE;
            }
            node = next;
        }
        if (node.isListed) {
            node.isFound = true;
            return Part.LISTED;
        }
        return type == FileType.DIRECTORY ? Part.ABOVE : Part.NONE;
    }

    /** Remembers that a file in a listed directory is there, which may be listed itself. */
    private static void found(Node from, List<FileName> names) {
        var node = from;
        for (var name : names) {
            node = node.below.get(name);
            if (node == null) {
                return;
            }
        }
        node.isFound = true;
    }

    /** Returns the listed files that the tree did not have, in the order of the list. */
    List<PathName> missing() {
        var missing = new ArrayList<PathName>();
        for (var each : top.below.entrySet()) {
            addMissing(new PathName(each.getKey().bytes()), each.getValue(), missing);
        }
        return missing;
    }

    private static void addMissing(PathName path, Node node, List<PathName> missing) {
        if (node.isListed && !node.isFound) {
            missing.add(path);
        }
        node.below.forEach((name, below) -> addMissing(path.resolve(name), below, missing));
    }
}
