package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Removes what a source does not have from directories of a server, or in a trial reports it. Only
 * names in a directory that was listed are removed, and links are not followed. Files that the
 * rules leave out stay, with the directories above them.
 *
 * @param depth how many names of a path the top of the tree stands for
 * @param filled the directories that this copy fills. They stay, under any name by which they are
 *     listed
 */
record ServerExtras(
        Copier copier, JobQueue jobs, CopyRules rules, int depth, Set<FileHandle> filled) {
    ServerExtras(Copier copier, JobQueue jobs, CopyRules rules, int depth) {
        this(copier, jobs, rules, depth, ConcurrentHashMap.newKeySet());
    }

    /** Notes that a directory holds copies, so that it is not removed. */
    void fills(FileHandle directory) {
        if (rules.deletes()) {
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
            var place = new DirOpArgs(directory, each.getKey());
            remove(place, each.getValue(), source.child(each.getKey()), shown);
        }
    }

    private void remove(DirOpArgs place, RemoteFile listed, LocalPath below, String shown)
            throws IOException, InterruptedException {
        var what = "cannot remove " + shown;
        var now = copier.mount().find(place, what);
        if (now.isEmpty() || filled.contains(now.get().handle())) {
            return;
        }
        if (!isSame(listed, now.get())) {
            jobs.failed(new IOException(what + ": another file has taken its place"));
            return;
        }
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        jobs.failed(why);
                    }
                };
        try {
            TreeJobs.run(
                    copier.mount(),
                    copier.options(),
                    listener,
                    new TreeJobs.Entry(place, now.get(), shown, below),
                    new Removal());
        } catch (IncompleteTreeException _) {
            // The queue has each failure.
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
                copier.listener().planned(CopyListener.Step.DELETE, entry.path(), 0);
            } else {
                copier.mount().remove(entry.place(), "cannot remove " + entry.path());
                copier.listener().deleted(entry.path());
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
                copier.listener().planned(CopyListener.Step.DELETE, entry.path(), 0);
            } else {
                copier.mount().removeDirectory(entry.place(), "cannot remove " + entry.path());
                copier.listener().deleted(entry.path());
            }
        }
    }
}
