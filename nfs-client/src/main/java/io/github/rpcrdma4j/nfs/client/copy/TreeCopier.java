package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Copies directory trees, several files at a time. Directories and links are copied as such; FIFOs,
 * sockets and devices are made again if both sides support them. Names are bytes. Links in the tree
 * are never followed, and nothing is made outside the target, even if the server is hostile.
 *
 * <p>A failed file does not stop the others: the listener receives each failure, and an {@link
 * IncompleteTreeException} at the end has their number. A lost connection stops the whole copy.
 *
 * <p>Tests: {@code TreesTest}.
 */
public final class TreeCopier {
    private final Copier copier;
    private final CopyRules rules;
    private final Optional<MadeCopies> made;

    /**
     * Creates a copier of trees.
     *
     * @param wanted selects the names to copy; anything below a name that is not selected is
     *     skipped too
     */
    public TreeCopier(Copier copier, Predicate<FileName> wanted) {
        this(
                copier,
                CopyRules.EVERYTHING.withFilter((path, _) -> wanted.test(path.names().getLast())));
    }

    /** Creates a copier of trees with rules for their files. */
    public TreeCopier(Copier copier, CopyRules rules) {
        this(copier, rules, Optional.empty());
    }

    /**
     * Creates a copier of trees for one of several sources.
     *
     * @param made copies of other sources, which are not replaced; receives each copy that is made.
     *     A file that would replace one fails. {@link #copy} does not use it.
     */
    public TreeCopier(Copier copier, CopyRules rules, Optional<MadeCopies> made) {
        this.copier = copier;
        this.rules = rules;
        this.made = made;
    }

    /**
     * Copies a directory, or a file of any type, from the server.
     *
     * @param name of the source, for messages
     * @param target its directory must exist, but not in a trial; a directory at the target itself
     *     is made if missing
     * @throws IncompleteTreeException if some files failed
     */
    public void get(RemoteFile source, String name, Path target)
            throws IOException, InterruptedException {
        var what = "cannot write " + target;
        try (var opened =
                rules.isTrial() && !Files.exists(target.toAbsolutePath().getParent())
                        ? LocalPlace.openMissing(target, what)
                        : LocalPlace.open(target, what)) {
            get(source, name, opened, target.toString());
        }
    }

    /**
     * Copies a directory, or a file of any type, from the server.
     *
     * @param name of the source, for messages
     * @param target its directory must exist, but not in a trial; a directory at the target itself
     *     is made if missing. The caller closes it
     * @param to the target, for messages
     * @throws IncompleteTreeException if some files failed
     */
    public void get(RemoteFile source, String name, LocalPlace target, String to)
            throws IOException, InterruptedException {
        var jobs = new JobQueue(copier.context().listener());
        var root = target.path();
        try (var get =
                new TreeGet(
                        copier,
                        target.tree(),
                        new ShownPath(name, root.depth()),
                        new ShownPath(to, root.depth()),
                        rules,
                        made,
                        jobs)) {
            get.add(source, root);
            run(jobs);
        }
    }

    /**
     * Copies a local directory, or a file of any type, to the server.
     *
     * @param source a link at its end is not followed
     * @param target made if it does not exist
     * @param name of the target, for messages
     * @throws IncompleteTreeException if some files failed
     */
    public void put(Path source, RemotePlace target, String name)
            throws IOException, InterruptedException {
        put(source, source.toString(), target, name);
    }

    /**
     * Copies a local directory, or a file of any type, to the server.
     *
     * @param source a link at its end is not followed
     * @param from the source, for messages
     * @param target made if it does not exist; null if its directory does not exist, in a trial
     * @param to the target, for messages
     * @throws IncompleteTreeException if some files failed
     */
    public void put(Path source, String from, RemotePlace target, String to)
            throws IOException, InterruptedException {
        try (var opened = LocalPlace.open(source, "cannot read " + from)) {
            put(opened, from, target, to);
        }
    }

    /**
     * Copies a local directory, or a file of any type, to the server.
     *
     * @param source a link at its end is not followed; the caller closes it
     * @param from the source, for messages
     * @param target made if it does not exist; null if its directory does not exist, in a trial
     * @param to the target, for messages
     * @throws IncompleteTreeException if some files failed
     */
    public void put(LocalPlace source, String from, RemotePlace target, String to)
            throws IOException, InterruptedException {
        var jobs = new JobQueue(copier.context().listener());
        var root = source.path();
        var there =
                target == null
                        ? Optional.<RemoteFile>empty()
                        : copier.context().service().find(target, "cannot write " + to);
        try (var put =
                new TreePut(
                        copier,
                        source.tree(),
                        new ShownPath(from, root.depth()),
                        new ShownPath(to, root.depth()),
                        rules,
                        made,
                        jobs)) {
            put.add(root, target, there);
            run(jobs);
        }
    }

    /**
     * Copies a directory, or a file of any type, to another place on the server. A directory cannot
     * be copied into itself. The rules do not apply.
     *
     * @param from the source, for messages
     * @param target made if it does not exist
     * @param to the target, for messages
     * @throws IncompleteTreeException if some files failed
     */
    public void copy(RemoteFile source, String from, RemotePlace target, String to)
            throws IOException, InterruptedException {
        var jobs = new JobQueue(copier.context().listener());
        var there = copier.context().service().find(target, "cannot write " + to);
        new TreeCopy(copier, from, to, jobs).add(source, target, there.map(RemoteFile::attributes));
        run(jobs);
    }

    private void run(JobQueue jobs) throws IOException, InterruptedException {
        jobs.run(copier.context().options().files());
        copier.context().takeFailures().forEach(jobs::failed);
        jobs.requireComplete();
    }
}
