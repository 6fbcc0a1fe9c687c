package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.file.NameRoom;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Removes what a source does not have, or has as a file of another type, from directories of this
 * machine, or in a trial reports it. The tree does not follow links. Files that the rules leave out
 * stay, with the directories above them, and so does a file system that is mounted below the tree.
 *
 * <p>Tests: {@code OddFileSystemsTest}, {@code SyncTest}.
 *
 * @param filled the directories that this copy fills. They stay, under any name by which they are
 *     listed
 */
record LocalExtras(
        LocalTree tree,
        CopyListener listener,
        JobQueue jobs,
        ShownPath shown,
        CopyRules rules,
        Set<FileIdentity> filled) {
    LocalExtras(
            LocalTree tree,
            CopyListener listener,
            JobQueue jobs,
            ShownPath shown,
            CopyRules rules) {
        this(tree, listener, jobs, shown, rules, ConcurrentHashMap.newKeySet());
    }

    /** Notes that a directory holds copies, so that it is not removed. */
    void fills(LocalStatus directory) {
        if (rules.mayRemove()) {
            filled.add(identity(directory));
        }
    }

    private static FileIdentity identity(LocalStatus file) {
        return LocalSource.identity(file);
    }

    /**
     * Returns the files of a target directory that are to be removed.
     *
     * @param children the files of its source
     * @param memory for the names in the target
     * @param from the source, for messages
     */
    Map<LocalPath, LocalStatus> of(
            List<NamedFile> children,
            OpenDirectories.Use target,
            NameMemory.Share memory,
            String from)
            throws IOException {
        if (!rules.deletes()) {
            return Map.of();
        }
        var in = target.in();
        var directory = target.path();
        var what = "cannot list " + shown.of(directory);
        var names = children.stream().map(NamedFile::name).collect(Collectors.toSet());
        var listed = Set.copyOf(in.list(LocalPath.ROOT, new NameRoom(memory, what), what));
        var left = new HashSet<FileName>();
        for (var each : FoldedNames.spellings(names, listed).entrySet()) {
            if (in.find(LocalPath.ROOT.child(each.getKey()), what).isPresent()) {
                left.addAll(each.getValue());
            }
        }
        var others = new HashMap<LocalPath, LocalStatus>();
        for (var name : listed) {
            var file = directory.child(name);
            if (!names.contains(name) && !left.contains(name) && !TemporaryName.is(name)) {
                var status = in.find(inside(file), "cannot find " + shown.of(file));
                if (status.isPresent() && rules.wants(file, shown.depth(), status.get().type())) {
                    others.put(file, status.get());
                }
            }
        }
        if (children.isEmpty() && !others.isEmpty() && directory.depth() == shown.depth()) {
            throw new IOException(
                    from + " is empty: that would remove everything in " + shown.of(directory));
        }
        return others;
    }

    /**
     * Removes files with everything below them, unless something in their directory was not copied:
     * that is reported.
     *
     * @param isIncomplete whether something was not copied
     * @param directory that holds them
     * @param found the directory when it was listed
     * @param extras the files as they were then
     */
    void remove(
            boolean isIncomplete,
            LocalPath directory,
            LocalStatus found,
            Map<LocalPath, LocalStatus> extras)
            throws IOException {
        if (isIncomplete) {
            jobs.keptExtras(extras.size(), shown.of(directory));
            return;
        }
        if (extras.isEmpty()) {
            return;
        }
        var top = new Listed(directory, found, null);
        try (var in = open(top)) {
            for (var each : extras.entrySet()) {
                removeListed(top, in, each.getKey(), each.getValue());
            }
        }
    }

    /** Tries whether the source of a copy can be read. */
    interface Reading {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Requires that no directory is where a file goes, or that it makes way, as the rules allow it.
     *
     * @param source nothing makes way for what cannot be copied
     */
    void requireWay(OpenDirectories.Use target, String what, Reading source)
            throws IOException, InterruptedException {
        var there = target.find(what);
        if (there.isPresent() && there.get().isDirectory()) {
            source.run();
            if (!makesWay(target, there.get())) {
                LocalFiles.requireNoDirectory(there, what);
            }
        }
    }

    /**
     * Returns whether a directory is where one goes. A file of another type makes way, as the rules
     * allow it.
     *
     * @throws LocalException if it does not
     */
    boolean isDirectoryThere(OpenDirectories.Use target, String what) throws IOException {
        var there = target.find(what);
        if (there.isEmpty() || there.get().isDirectory()) {
            return there.isPresent();
        }
        if (!makesWay(target, there.get())) {
            throw new LocalException(what, LocalException.Reason.NOT_A_DIRECTORY);
        }
        return false;
    }

    /**
     * Removes a file in whose place a copy of another type goes, as the rules allow it.
     *
     * @param there the file: a directory, or the copy is one
     * @return whether its place is free, or in a trial would be
     */
    private boolean makesWay(OpenDirectories.Use target, LocalStatus there) throws IOException {
        var path = target.path();
        if (isFilled(there) || !rules.replaces(path, shown.depth(), there.type())) {
            return false;
        }
        if (there.isDirectory() && rules.deletes()) {
            var above = target.place().directory().found();
            return removeTree(new Listed(path.directory(), above, null), target.in(), path);
        }
        var what = what(path);
        if (there.isDirectory() && !isEmpty(target, there, what)) {
            return false;
        }
        if (!rules.isTrial()) {
            if (there.isDirectory()) {
                target.in().removeDirectory(target.file(), what);
            } else {
                target.in().remove(target.file(), what);
            }
        }
        return true;
    }

    private boolean isEmpty(OpenDirectories.Use target, LocalStatus there, String what)
            throws IOException {
        try (var names = jobs.share();
                var in = target.in().below(target.file(), there, what)) {
            return in.list(LocalPath.ROOT, new NameRoom(names, what), what).isEmpty();
        }
    }

    private void removeListed(Listed top, LocalTree in, LocalPath file, LocalStatus listed)
            throws IOException {
        var now = in.find(inside(file), what(file));
        if (now.isPresent() && !isFilled(now.get())) {
            if (isSame(listed, now.get())) {
                removeTree(top, in, file);
            } else {
                jobs.failed(new IOException(what(file) + ": it has changed since it was listed"));
            }
        }
    }

    /** The path of a file in the tree of its directory. */
    private static LocalPath inside(LocalPath file) {
        return LocalPath.ROOT.child(file.name());
    }

    /**
     * Returns whether a name still leads to the file that was listed. Numbers alone do not show it:
     * some file systems have one for all files. A file of several names changes if another of them
     * is replaced.
     */
    private static boolean isSame(LocalStatus listed, LocalStatus now) {
        return listed.inode() == now.inode()
                && listed.type() == now.type()
                && (listed.links() > 1
                        || listed.isDirectory()
                        || listed.size() == now.size()
                                && listed.modified().equals(now.modified())
                                && listed.changed().equals(now.changed()));
    }

    private boolean isFilled(LocalStatus file) {
        return file.isDirectory() && filled.contains(identity(file));
    }

    private String what(LocalPath file) {
        return "cannot remove " + shown.of(file);
    }

    /**
     * A directory that was listed. Another process can give its name to another directory, so it is
     * opened for each look at it, and counts only if it is the same.
     *
     * @param parent the directory that holds it; null for one that is not removed itself
     */
    private record Listed(LocalPath path, LocalStatus found, Listed parent) {}

    /** The removal of one tree. */
    private static final class Removal {
        private final NameMemory.Share memory;
        private int found;

        /** Directories in which something stays. */
        final Set<LocalPath> kept = new HashSet<>();

        final Deque<Listed> pending = new ArrayDeque<>();

        /** Directories whose files were removed, the last one first. */
        final Deque<Listed> emptied = new ArrayDeque<>();

        /**
         * Begins a removal.
         *
         * @param memory for the names of all directories of the tree
         */
        Removal(NameMemory.Share memory) {
            this.memory = memory;
        }

        void add(Listed directory, String what) throws LocalException {
            new NameRoom(memory, what).take(directory.path.name(), found);
            found++;
            pending.push(directory);
        }
    }

    private LocalTree open(Listed directory) throws IOException {
        return tree.below(directory.path, directory.found, what(directory.path));
    }

    /**
     * Removes a file with everything below it, without following the names of directories.
     *
     * @return whether nothing of it stays
     */
    private boolean removeTree(Listed top, LocalTree in, LocalPath file) {
        try (var directories = jobs.share()) {
            var removal = new Removal(directories);
            removeFile(top, in, file, removal);
            while (!removal.pending.isEmpty()) {
                var directory = removal.pending.pop();
                removal.emptied.push(directory);
                removeFiles(directory, removal);
            }
            for (var directory : removal.emptied) {
                removeDirectory(directory, removal.kept);
            }
            return !removal.kept.contains(file);
        }
    }

    private void removeFiles(Listed directory, Removal removal) {
        var what = what(directory.path);
        try (var names = jobs.share();
                var in = open(directory)) {
            for (var name : in.list(LocalPath.ROOT, new NameRoom(names, what), what)) {
                removeFile(directory, in, directory.path.child(name), removal);
            }
        } catch (IOException failure) {
            keep(directory.path, removal.kept);
            jobs.failed(failure);
        }
    }

    /** Removes a file of a directory, or notes that it is a directory itself. */
    private void removeFile(Listed directory, LocalTree in, LocalPath file, Removal removal) {
        var kept = removal.kept;
        try {
            var status = in.status(inside(file), what(file));
            requireHere(status, directory.found.device(), file);
            if (isFilled(status) || !rules.wants(file, shown.depth(), status.type())) {
                keep(file, kept);
            } else if (status.isDirectory()) {
                removal.add(new Listed(file, status, directory), what(file));
            } else if (!rules.removes(shown.of(file))) {
                keep(file, kept);
            } else if (rules.isTrial()) {
                listener.planned(CopyListener.Step.DELETE, shown.of(file), 0);
            } else {
                in.remove(inside(file), what(file));
                listener.deleted(shown.of(file));
            }
        } catch (IOException failure) {
            // A directory that keeps a file cannot be removed itself, which is not reported.
            keep(file, kept);
            jobs.failed(failure);
        }
    }

    private void removeDirectory(Listed directory, Set<LocalPath> kept) {
        var file = directory.path;
        if (kept.contains(file) || !rules.removes(shown.of(file))) {
            keep(file, kept);
            return;
        }
        if (rules.isTrial()) {
            listener.planned(CopyListener.Step.DELETE, shown.of(file), 0);
            return;
        }
        try (var in = open(directory.parent)) {
            // Only an empty one is removed.
            in.removeDirectory(inside(file), what(file));
            listener.deleted(shown.of(file));
        } catch (IOException failure) {
            keep(file, kept);
            jobs.failed(failure);
        }
    }

    private static void keep(LocalPath file, Set<LocalPath> kept) {
        for (var at = file; !at.isRoot() && kept.add(at); ) {
            at = at.directory();
        }
    }

    private void requireHere(LocalStatus status, long device, LocalPath file) throws IOException {
        if (status.device() != device) {
            throw new IOException(what(file) + ": another file system is mounted there");
        }
    }
}
