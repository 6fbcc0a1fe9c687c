package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.file.Listing;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Removes what a source does not have, or has as a file of another type, from directories of a
 * server, or in a trial reports it. Only names in a directory that was listed are removed, and
 * links are not followed. Files that the rules leave out stay, with the directories above them.
 *
 * <p>Tests: {@code OddFileSystemsTest}, {@code SyncTest}.
 *
 * @param depth how many names of a path the top of the tree stands for
 * @param filled the directories that this copy fills. They stay, under any name by which they are
 *     listed
 */
record ServerExtras(
        CopyContext context, JobQueue jobs, CopyRules rules, int depth, Set<FileHandle> filled) {
    ServerExtras(CopyContext context, JobQueue jobs, CopyRules rules, int depth) {
        this(context, jobs, rules, depth, ConcurrentHashMap.newKeySet());
    }

    /** Notes that a directory holds copies, so that it is not removed. */
    void fills(FileHandle directory) {
        if (rules.mayRemove()) {
            filled.add(directory);
        }
    }

    /**
     * Returns the files of a target directory that are to be removed.
     *
     * @param source the directory in the tree
     * @param names of the files in it
     * @param there the files in the target directory
     * @param from the source, for messages
     * @param to the target directory, for messages
     */
    Map<FileName, RemoteFile> of(
            LocalPath source,
            List<FileName> names,
            Map<FileName, RemoteFile> there,
            String from,
            String to)
            throws IOException {
        if (!rules.deletes()) {
            return Map.of();
        }
        var others = new HashMap<>(there);
        others.keySet().removeAll(Set.copyOf(names));
        others.entrySet()
                .removeIf(
                        each ->
                                TemporaryName.is(each.getKey())
                                        || !rules.wants(
                                                source.child(each.getKey()),
                                                depth,
                                                each.getValue().attributes().type()));
        if (names.isEmpty() && !others.isEmpty() && source.depth() == depth) {
            throw new IOException(from + " is empty: that would remove everything in " + to);
        }
        return others;
    }

    /**
     * Finds the files of a target directory that it lists under another spelling.
     *
     * @param names of the files in the source
     * @param there the files in the target directory; receives those that are found
     * @param others the files that are to be removed; loses them
     * @param to the target directory, for messages
     */
    void findSpelled(
            FileHandle directory,
            List<FileName> names,
            Map<FileName, RemoteFile> there,
            Map<FileName, RemoteFile> others,
            String to)
            throws IOException, InterruptedException {
        var listed = Set.copyOf(there.keySet());
        for (var each : FoldedNames.spellings(names, listed).entrySet()) {
            var place = new RemotePlace(directory, each.getKey());
            var other = context.service().find(place, "cannot find " + to);
            if (other.isPresent()) {
                there.put(each.getKey(), other.get());
                each.getValue().forEach(others::remove);
            }
        }
    }

    /**
     * Removes files with everything below them, unless something in their directory was not copied:
     * that is reported.
     *
     * @param isIncomplete whether something was not copied
     * @param directory without it, no files are there
     * @param extras the files when the directory was listed
     * @param source the directory in the tree
     * @param path of the directory, for messages
     */
    void remove(
            boolean isIncomplete,
            FileHandle directory,
            Map<FileName, RemoteFile> extras,
            LocalPath source,
            String path)
            throws IOException, InterruptedException {
        if (isIncomplete) {
            jobs.keptExtras(extras.size(), path);
            return;
        }
        for (var each : extras.entrySet()) {
            var shown = path + "/" + each.getKey().escaped();
            var place = new RemotePlace(directory, each.getKey());
            remove(place, each.getValue(), source.child(each.getKey()), shown);
        }
    }

    /**
     * Removes a file in whose place a copy of another type goes, as the rules allow it.
     *
     * @param source the copied file in the tree
     * @param isDirectory whether that is a directory
     * @param there the file in its place, if there is one
     * @param to its path, for messages
     * @return the file that stays there; in a trial that would
     */
    Optional<RemoteFile> left(
            LocalPath source,
            boolean isDirectory,
            RemotePlace place,
            Optional<RemoteFile> there,
            String to)
            throws IOException, InterruptedException {
        boolean isOther =
                there.isPresent() && there.get().attributes().isDirectory() != isDirectory;
        return isOther && makesWay(source, place, there.get(), to) ? Optional.empty() : there;
    }

    private boolean makesWay(LocalPath source, RemotePlace place, RemoteFile there, String to)
            throws IOException, InterruptedException {
        if (filled.contains(there.handle())
                || !rules.replaces(source, depth, there.attributes().type())) {
            return false;
        }
        boolean isDirectory = there.attributes().isDirectory();
        if (isDirectory && rules.deletes()) {
            return remove(place, there, source, to);
        }
        var what = "cannot remove " + to;
        if (isDirectory && !Listing.isEmpty(context.mount().service(), there.handle(), what)) {
            return false;
        }
        if (!rules.isTrial()) {
            if (isDirectory) {
                context.service().removeDirectory(place, what);
            } else {
                context.service().remove(place, what);
            }
        }
        return true;
    }

    /** Returns whether nothing of the file stays. */
    private boolean remove(RemotePlace place, RemoteFile listed, LocalPath below, String shown)
            throws IOException, InterruptedException {
        var what = "cannot remove " + shown;
        var now = context.service().find(place, what);
        if (now.isEmpty()) {
            return true;
        }
        if (filled.contains(now.get().handle())) {
            return false;
        }
        if (!isSame(listed, now.get())) {
            jobs.failed(new IOException(what + ": another file has taken its place"));
            return false;
        }
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        jobs.failed(why);
                    }
                };
        var removal = new Removal();
        try {
            TreeJobs.run(
                    context.mount(),
                    context.options(),
                    listener,
                    new TreeJobs.Entry(place, now.get(), shown, below),
                    removal);
            return !removal.kept.contains(below);
        } catch (IncompleteTreeException _) {
            // The queue has each failure.
            return false;
        }
    }

    /**
     * Returns whether a name still leads to the file that was listed. Numbers alone do not show it:
     * some servers have one for all files. A file of several names changes if another of them is
     * replaced.
     */
    private static boolean isSame(RemoteFile listed, RemoteFile now) {
        FileAttributes before = listed.attributes();
        FileAttributes after = now.attributes();
        return listed.handle().equals(now.handle())
                && before.type() == after.type()
                && (before.links() > 1
                        || before.isDirectory()
                        || before.size() == after.size()
                                && before.modified().equals(after.modified())
                                && before.changed().equals(after.changed()));
    }

    /** Removes each file that the rules do not keep. */
    private final class Removal implements TreeJobs.Action {
        /** Directories in which something stays. */
        private final Set<LocalPath> kept = ConcurrentHashMap.newKeySet();

        private void keep(LocalPath file) {
            for (var at = file; !at.isRoot() && kept.add(at); ) {
                at = at.directory();
            }
        }

        /** Returns whether a file is removed; a directory above one that stays is not. */
        private boolean isRemoved(TreeJobs.Entry entry) {
            boolean isRemoved = !kept.contains(entry.below()) && rules.removes(entry.path());
            if (!isRemoved) {
                keep(entry.below());
            }
            return isRemoved;
        }

        private boolean isWanted(TreeJobs.Entry entry) {
            boolean isWanted = rules.wants(entry.below(), depth, entry.file().attributes().type());
            if (!isWanted) {
                keep(entry.below());
            }
            return isWanted;
        }

        @Override
        public void file(TreeJobs.Entry entry) throws IOException, InterruptedException {
            if (!isWanted(entry) || !isRemoved(entry)) {
                return;
            }
            if (rules.isTrial()) {
                context.listener().planned(CopyListener.Step.DELETE, entry.path(), 0);
            } else {
                context.service().remove(entry.place(), "cannot remove " + entry.path());
                context.listener().deleted(entry.path());
            }
        }

        @Override
        public boolean enter(TreeJobs.Entry entry) {
            return isWanted(entry);
        }

        @Override
        public void leave(TreeJobs.Entry entry, boolean isIncomplete)
                throws IOException, InterruptedException {
            // A file that is still in it was reported already.
            if (isIncomplete || !isRemoved(entry)) {
                return;
            }
            if (rules.isTrial()) {
                context.listener().planned(CopyListener.Step.DELETE, entry.path(), 0);
            } else {
                context.service().removeDirectory(entry.place(), "cannot remove " + entry.path());
                context.listener().deleted(entry.path());
            }
        }
    }
}
