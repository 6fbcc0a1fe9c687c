package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.CopyRules.Filter;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The part of a tree that a list of files names, as with {@code --files-from} of {@code rsync}.
 * Thread-safe.
 */
final class ListedFiles {
    /** A name of the list, or one that leads to it. */
    private static final class Node {
        private final LinkedHashMap<FileName, Node> below = new LinkedHashMap<>();
        private boolean isListed;

        /** Whether a slash is behind the name: what is in the directory belongs to the part. */
        private boolean hasContents;

        private volatile boolean isFound;

        /** Whether a pattern matches this, so that only what it leads to is copied. */
        private volatile boolean isLeftOut;

        /** Whether this, or a file below it, is copied. */
        private volatile boolean leads;
    }

    /** The source, in which no link is followed. */
    interface Tree<F> {
        /** Returns the file of a name in a directory, or empty if there is none. */
        Optional<F> find(F directory, FileName name) throws IOException, InterruptedException;

        FileType type(F file) throws IOException, InterruptedException;
    }

    /** What a file of the tree is for the list. */
    enum Part {
        /** It does not belong to it. */
        NONE,
        /** A directory that leads to a listed file that is copied. */
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
        boolean isHeld = false;
        for (int i = 0; i < names.size(); i++) {
            boolean holdsAll = isHeld || node.isListed && isRecursive;
            boolean holdsThis = node.isListed && node.hasContents && i == names.size() - 1;
            isHeld = !node.isLeftOut && (holdsAll || holdsThis);
            node = node.below.get(names.get(i));
            if (node == null) {
                return isHeld ? Part.LISTED : Part.NONE;
            }
        }
        if (node.isListed) {
            node.isFound = true;
            return Part.LISTED;
        }
        if (isHeld) {
            return Part.LISTED;
        }
        return type == FileType.DIRECTORY && node.leads ? Part.ABOVE : Part.NONE;
    }

    /** Returns whether a listed file below a directory is copied. */
    boolean leads(PathName path) {
        var node = top;
        for (var name : path.names()) {
            node = node.below.get(name);
            if (node == null) {
                return false;
            }
        }
        return node.leads;
    }

    /**
     * Finds out which directories lead to listed files that are copied: those that are there, and
     * that no pattern leaves out. As with rsync, no other directory is made for them.
     *
     * @param directory the top of the tree
     * @param filter the patterns
     * @throws RpcException if the server is lost
     */
    <F> void find(F directory, Tree<F> tree, Filter filter)
            throws IOException, InterruptedException {
        find(directory, tree, filter, top, new PathName(new byte[0]), true);
    }

    private static <F> boolean find(
            F directory, Tree<F> tree, Filter filter, Node node, PathName path, boolean isKnown)
            throws IOException, InterruptedException {
        boolean leads = isKnown;
        // One file is enough, but each directory has to be known.
        for (boolean ofDirectories : new boolean[] {true, false}) {
            for (var each : node.below.entrySet()) {
                var below = each.getValue();
                if (below.below.isEmpty() != ofDirectories && (ofDirectories || !leads)) {
                    var name = each.getKey();
                    below.leads = leads(directory, tree, filter, below, path.resolve(name));
                    leads |= below.leads;
                }
            }
        }
        return leads;
    }

    private static <F> boolean leads(
            F directory, Tree<F> tree, Filter filter, Node node, PathName path)
            throws IOException, InterruptedException {
        try {
            var found = tree.find(directory, path.names().getLast());
            if (found.isEmpty()) {
                return false;
            }
            var type = tree.type(found.get());
            node.isLeftOut = !filter.wants(path, type);
            boolean isCopied = node.isListed && !node.isLeftOut;
            // The copy does not get there if nothing leads there.
            node.isFound = node.isListed && !isCopied;
            return type == FileType.DIRECTORY
                    ? find(found.get(), tree, filter, node, path, isCopied)
                    : isCopied;
        } catch (RpcException ofServer) {
            throw ofServer;
        } catch (IOException _) {
            // The copy tells why.
            return true;
        }
    }

    /** Returns whether the top of the tree itself is listed. */
    boolean hasTop() {
        return top.isListed;
    }

    /** Returns the listed files that the tree did not have, in the order of the list. */
    List<PathName> missing() {
        var missing = new ArrayList<PathName>();
        // Not by recursion: a list may have paths of any length.
        var rest = new ArrayDeque<Map.Entry<PathName, Node>>();
        rest.push(Map.entry(new PathName(new byte[0]), top));
        while (!rest.isEmpty()) {
            var next = rest.pop();
            var path = next.getKey();
            var node = next.getValue();
            if (node != top && node.isListed && !node.isFound) {
                missing.add(path);
            }
            node.below
                    .sequencedEntrySet()
                    .reversed()
                    .forEach(
                            each ->
                                    rest.push(
                                            Map.entry(
                                                    path.resolve(each.getKey()), each.getValue())));
        }
        return missing;
    }
}
