package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.zip.CRC32C;

/**
 * All exports of a server: from handles to files. Thread-safe.
 *
 * <p>Between finding the path of a file and using it no call may put a link in the place of a
 * folder on the way. So paths are used inside of a step, and the two procedures that can take a
 * folder away from its name, RMDIR and RENAME, have their tree alone.
 */
final class Forest {
    /** What is done with a file while its path holds. */
    interface Step<P, R> {
        R take(P place) throws Refusal, IOException;
    }

    /** Which rule holds for a file; empty if the caller has no business with it. */
    private interface Welcome {
        Optional<ExportRule> rule(Tree tree, FileId file) throws Refusal;
    }

    private record Named(Tree tree, FileId file, FileHandle handle, ExportRule rule) {
        Located locate() throws Refusal {
            return tree.locate(file, handle, rule);
        }
    }

    private final HandleSeal seal;
    private final Overlaps overlaps;
    private final Map<Integer, Tree> trees;
    private final List<Tree> inOrder;
    private final Welcome welcome;

    Forest(Collection<Export> exports, HandleSeal seal) throws IOException {
        this.seal = seal;
        overlaps = new Overlaps();
        trees = new HashMap<>();
        inOrder = new ArrayList<>();
        var everything = Optional.of(ExportRule.trusting(false));
        welcome = (_, _) -> everything;
        for (var export : exports) {
            // The number comes from the name, so that it is the same after a restart.
            int number = number(export.name());
            var tree = new Tree(export, number, seal);
            if (trees.putIfAbsent(number, tree) != null) {
                throw new IllegalArgumentException("two exports are named " + export.name());
            }
            inOrder.add(tree);
        }
    }

    private Forest(Forest whole, Welcome welcome) {
        seal = whole.seal;
        overlaps = whole.overlaps;
        trees = whole.trees;
        inOrder = whole.inOrder;
        this.welcome = welcome;
    }

    /**
     * The same trees for calls of any flavor that an export takes; else like {@link
     * #seenFrom(InetSocketAddress, SecurityFlavor, boolean)}. MNT comes without the flavor that the
     * calls which follow it have.
     */
    Forest seenFrom(InetSocketAddress caller, SecurityFlavor flavor) {
        return new Forest(this, (tree, _) -> rule(tree, caller, flavor));
    }

    /**
     * What holds for a caller. One that calls from a port that is not root's is told PERM, as by
     * Linux: its mount then fails with words that fit, where an error of RPC would have the client
     * look for another flavor.
     */
    private static Optional<ExportRule> rule(
            Tree tree, InetSocketAddress caller, SecurityFlavor flavor) throws Refusal {
        var rule = tree.export().rule(caller.getAddress());
        if (rule.isPresent() && !rule.get().takes(flavor, caller.getPort())) {
            throw new Refusal(Status.PERM);
        }
        return rule;
    }

    /**
     * The same trees for calls of one flavor from one host: files of exports that do not take both
     * are ACCES, and those that do not take the port are PERM.
     *
     * @param mounts whether the roots of all exports are there nevertheless: a client that mounts
     *     asks for their attributes before it knows the flavor (RFC 2623, Section 2.3.2)
     */
    Forest seenFrom(InetSocketAddress caller, SecurityFlavor flavor, boolean mounts) {
        return new Forest(
                this,
                (tree, file) ->
                        tree.export().flavors().contains(flavor) || mounts && tree.isRoot(file)
                                ? rule(tree, caller, flavor)
                                : Optional.empty());
    }

    private static int number(String name) {
        var crc = new CRC32C();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    List<Tree> trees() {
        return List.copyOf(inOrder);
    }

    /** The export that a path to mount is of: the one with the longest name, if several are. */
    Optional<Tree> find(PathName path) {
        Tree found = null;
        for (var tree : inOrder) {
            var name = tree.export().name();
            boolean holds = path.below(PathName.of(name)).isPresent();
            if (holds && (found == null || name.length() > found.export().name().length())) {
                found = tree;
            }
        }
        return Optional.ofNullable(found);
    }

    private Named open(FileHandle handle) throws Refusal {
        var opened = seal.open(handle).orElseThrow(() -> new Refusal(Status.BADHANDLE));
        var tree = trees.get(opened.export());
        if (tree == null) {
            throw new Refusal(Status.STALE);
        }
        var rule = welcome.rule(tree, opened.file()).orElseThrow(() -> new Refusal(Status.ACCES));
        return new Named(tree, opened.file(), handle, rule);
    }

    /**
     * Does something with the file that a handle names.
     *
     * @throws Refusal BADHANDLE if it is not one of ours, STALE if the file is gone, ACCES if its
     *     export does not take the caller's host or flavor, PERM if it does not take its port
     */
    <R> R at(FileHandle handle, Step<Located, R> step) throws Refusal, IOException {
        var named = open(handle);
        return under(named.tree.pathsHold(), () -> step.take(named.locate()));
    }

    /** The same with a folder, or NOTDIR. */
    <R> R atFolder(FileHandle handle, Step<Located, R> step) throws Refusal, IOException {
        return at(handle, folder -> step.take(requireFolder(folder)));
    }

    /** A file that can be located, perhaps again, while it is being changed. */
    interface Place {
        <R> R at(Step<Change, R> step) throws Refusal, IOException;
    }

    /** Changes the file that a handle names; its path holds only for what is done at its place. */
    <R> R changeLater(FileHandle handle, Step<Place, R> step) throws Refusal, IOException {
        var named = open(handle);
        try (var stay = overlaps.begin(handle)) {
            return step.take(new LastingPlace(named, stay));
        }
    }

    private record LastingPlace(Named named, Overlaps.Stay stay) implements Place {
        @Override
        public <R> R at(Step<Change, R> step) throws Refusal, IOException {
            return under(named.tree.pathsHold(), () -> step.take(new Change(named.locate(), stay)));
        }
    }

    /** Changes the file that a handle names. */
    <R> R change(FileHandle handle, Step<Change, R> step) throws Refusal, IOException {
        return changeLater(handle, place -> place.at(step));
    }

    /** Adds names to a folder, or takes names of files away. */
    <R> R changeFolder(FileHandle handle, Step<Change, R> step) throws Refusal, IOException {
        return change(
                handle,
                change -> {
                    requireFolder(change.file());
                    return step.take(change);
                });
    }

    /** What is done with a file and a folder of one tree. */
    interface StepOfLink<R> {
        R take(Located file, Change folder) throws Refusal, IOException;
    }

    /**
     * Gives a file one more name.
     *
     * @throws Refusal XDEV if file and folder are of two exports
     */
    <R> R changeFolder(FileHandle file, FileHandle folder, StepOfLink<R> step)
            throws Refusal, IOException {
        // Paths of two trees are never held together: two calls could wait for each other.
        var linked = open(file);
        if (linked.tree != open(folder).tree) {
            throw new Refusal(Status.XDEV);
        }
        return changeFolder(folder, change -> step.take(linked.locate(), change));
    }

    /** Takes the name of a folder away from a folder. */
    <R> R changePaths(FileHandle handle, Step<Change, R> step) throws Refusal, IOException {
        var named = open(handle);
        try (var stay = overlaps.begin(handle)) {
            return under(
                    named.tree.pathsMove(),
                    () -> step.take(new Change(requireFolder(named.locate()), stay)));
        }
    }

    /** What is done with two folders of one tree. */
    interface StepOfTwo<R> {
        R take(Change from, Change to) throws Refusal, IOException;
    }

    /**
     * Takes a name away from a folder and gives one to a folder, which may be the same.
     *
     * @throws Refusal XDEV if they are of two exports
     */
    <R> R changePaths(FileHandle from, FileHandle to, StepOfTwo<R> step)
            throws Refusal, IOException {
        if (from.equals(to)) {
            return changePaths(from, folder -> step.take(folder, folder));
        }
        var target = open(to);
        if (target.tree != open(from).tree) {
            throw new Refusal(Status.XDEV);
        }
        try (var stay = overlaps.begin(to)) {
            return changePaths(
                    from,
                    source -> step.take(source, new Change(requireFolder(target.locate()), stay)));
        }
    }

    private interface Work<R> {
        R run() throws Refusal, IOException;
    }

    private static <R> R under(Lock lock, Work<R> work) throws Refusal, IOException {
        lock.lock();
        try {
            return work.run();
        } finally {
            lock.unlock();
        }
    }

    private static Located requireFolder(Located file) throws Refusal {
        if (!file.attributes().isDirectory()) {
            throw new Refusal(Status.NOTDIR);
        }
        return file;
    }
}
