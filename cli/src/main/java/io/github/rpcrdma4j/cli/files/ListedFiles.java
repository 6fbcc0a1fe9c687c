package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Filter;
import io.github.rpcrdma4j.nfs.client.copy.WorkerGroup;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The part of a tree that a list of files names, as with {@code --files-from} of {@code rsync}.
 * Thread-safe.
 */
final class ListedFiles {
    /** A name of the list, or one that leads to it. */
    private static final class Node {
        private final Node above;
        private final FileName name;
        private final LinkedHashMap<FileName, Node> below = new LinkedHashMap<>();
        private boolean isListed;

        /** Whether a slash is behind the name: what is in the directory belongs to the part. */
        private boolean hasContents;

        private volatile boolean isFound;

        /** Whether a pattern matches this, so that only what it leads to is copied. */
        private volatile boolean isLeftOut;

        /** Whether this, or a file below it, is copied. */
        private volatile boolean leads;

        private Node(Node above, FileName name) {
            this.above = above;
            this.name = name;
        }

        PathName path() {
            var names = new ArrayDeque<FileName>();
            for (var at = this; at.above != null; at = at.above) {
                names.addFirst(at.name);
            }
            var path = new StringJoiner("/");
            names.forEach(each -> path.add(RawText.of(each.bytes())));
            return new PathName(RawText.bytes(path.toString()));
        }
    }

    /** A directory of the tree that has names of the list below it. */
    private record Directory<F>(F file, Node node) {}

    /** A name to look for in a directory. */
    private record Place<F>(Directory<F> directory, Node node) {}

    /** The source, in which no link is followed. Its methods are called on several threads. */
    interface Tree<F> {
        /** Returns the file of a name in a directory, or empty if there is none. */
        Optional<F> find(F directory, FileName name) throws IOException, InterruptedException;

        FileType type(F file) throws IOException, InterruptedException;
    }

    /** What a file of the tree is for the list. */
    enum Membership {
        /** It does not belong to it. */
        NONE,
        /** A directory that leads to a listed file that is copied. */
        ABOVE,
        /** It is listed, or in a listed directory. */
        LISTED
    }

    private final Node top = new Node(null, FileName.SELF);
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
            var above = node;
            node = above.below.computeIfAbsent(name, _ -> new Node(above, name));
        }
        node.isListed = true;
        node.hasContents |= hasContents;
    }

    /**
     * Returns what a file is. Remembers that it is there.
     *
     * @param path from the top of the tree, without a slash at its start
     */
    Membership membership(PathName path, FileType type) {
        var node = top;
        var names = path.names();
        boolean isHeld = false;
        for (int i = 0; i < names.size(); i++) {
            boolean holdsAll = isHeld || node.isListed && isRecursive;
            boolean holdsThis = node.isListed && node.hasContents && i == names.size() - 1;
            isHeld = !node.isLeftOut && (holdsAll || holdsThis);
            node = node.below.get(names.get(i));
            if (node == null) {
                return isHeld ? Membership.LISTED : Membership.NONE;
            }
        }
        if (node.isListed) {
            node.isFound = true;
            return Membership.LISTED;
        }
        if (isHeld) {
            return Membership.LISTED;
        }
        return type == FileType.DIRECTORY && node.leads ? Membership.ABOVE : Membership.NONE;
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
     * @param beside how many files are looked for at a time, at most
     * @param filter the patterns
     * @throws RpcException if the server is lost
     */
    <F> void find(F directory, Tree<F> tree, int beside, Filter filter)
            throws IOException, InterruptedException {
        // Not by recursion: a list may have paths of any length.
        var levels = new ArrayDeque<List<Directory<F>>>();
        var level = List.of(new Directory<>(directory, top));
        while (!level.isEmpty()) {
            levels.push(level);
            var places = new ArrayList<Place<F>>();
            for (var each : level) {
                each.node.below.values().stream()
                        .filter(node -> !node.below.isEmpty())
                        .forEach(node -> places.add(new Place<>(each, node)));
            }
            var next = new ConcurrentLinkedQueue<Directory<F>>();
            WorkerGroup.forEach(
                    beside, places, each -> find(each, tree, filter).ifPresent(next::add));
            level = List.copyOf(next);
        }
        // The deepest ones first, as each tells the one above it that it leads there, too.
        for (var each : levels) {
            WorkerGroup.forEach(beside, each, deepest -> findFile(deepest, tree, filter));
        }
    }

    /** Finds out whether a directory leads to a file, if those below it do not. One is enough. */
    private <F> void findFile(Directory<F> directory, Tree<F> tree, Filter filter)
            throws IOException, InterruptedException {
        var node = directory.node;
        if (node == top) {
            return;
        }
        var files = node.below.values().stream().filter(each -> each.below.isEmpty()).iterator();
        while (!node.leads && files.hasNext()) {
            var file = files.next();
            find(new Place<>(directory, file), tree, filter);
            node.leads |= file.leads;
        }
        tellAbove(node);
    }

    /** Looks for a file. Returns it if it is a directory. Otherwise it tells the one above it. */
    private <F> Optional<Directory<F>> find(Place<F> place, Tree<F> tree, Filter filter)
            throws IOException, InterruptedException {
        var found = look(place, tree, filter);
        if (found.isEmpty()) {
            tellAbove(place.node);
        }
        return found;
    }

    /** The directories above a file lead to it. */
    private void tellAbove(Node node) {
        if (node.leads && node.above != top) {
            node.above.leads = true;
        }
    }

    private static <F> Optional<Directory<F>> look(Place<F> place, Tree<F> tree, Filter filter)
            throws IOException, InterruptedException {
        var node = place.node;
        try {
            var found = tree.find(place.directory.file, node.name);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            var type = tree.type(found.get());
            node.isLeftOut = filter != CopyRules.ALL && !filter.wants(node.path(), type);
            node.leads = node.isListed && !node.isLeftOut;
            // The copy does not get there if nothing leads there.
            node.isFound = node.isListed && node.isLeftOut;
            return type == FileType.DIRECTORY
                    ? Optional.of(new Directory<>(found.get(), node))
                    : Optional.empty();
        } catch (RpcException ofServer) {
            throw ofServer;
        } catch (IOException _) {
            // The copy tells why.
            node.leads = true;
            return Optional.empty();
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
        var rest = new ArrayDeque<Node>();
        rest.push(top);
        while (!rest.isEmpty()) {
            var node = rest.pop();
            if (node != top && node.isListed && !node.isFound) {
                missing.add(node.path());
            }
            node.below.sequencedValues().reversed().forEach(rest::push);
        }
        return missing;
    }
}
