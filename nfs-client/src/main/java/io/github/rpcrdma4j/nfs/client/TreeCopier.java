package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.Located;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.function.Predicate;

/**
 * Copies whole trees, several files at a time: folders become folders, links become links. Sockets,
 * FIFOs and devices are left out. So is what has a name that is not UTF-8, on either side, and then
 * the copy fails at its end with a line that tells so.
 */
public final class TreeCopier {
    /** Something to copy, on any thread. */
    private interface Job {
        void run() throws IOException, InterruptedException;
    }

    private final Copier copier;
    private final NfsMount mount;
    private final Predicate<Path> wanted;
    private final LeftOut leftOut = new LeftOut();

    /** Guarded by this; folders go first, so that there is always work for everybody. */
    private final ArrayDeque<Job> jobs = new ArrayDeque<>();

    private int busy;
    private boolean failed;

    /**
     * @param wanted which local files and folders to put; the others are passed over
     */
    public TreeCopier(Copier copier, Predicate<Path> wanted) {
        this.copier = copier;
        this.wanted = wanted;
        this.mount = copier.mount();
    }

    /**
     * Copies a folder from the server.
     *
     * @param name of the folder, for messages
     * @param target made if it is not there
     */
    public void get(Located folder, String name, Path target)
            throws IOException, InterruptedException {
        add(() -> getFolder(folder, name, target), true);
        run();
    }

    /**
     * Copies a local folder to the server.
     *
     * @param target made if it is not there
     * @param name of the target, for messages
     */
    public void put(Path source, Place target, String name)
            throws IOException, InterruptedException {
        add(() -> putFolder(source, target, name), true);
        run();
    }

    private void run() throws IOException, InterruptedException {
        Fleet.run(copier.options().files(), this::work);
        leftOut.requireNone();
    }

    private synchronized void add(Job job, boolean first) {
        if (first) {
            jobs.addFirst(job);
        } else {
            jobs.addLast(job);
        }
        notify();
    }

    private synchronized Job take() throws InterruptedException {
        while (jobs.isEmpty() && busy > 0 && !failed) {
            wait();
        }
        if (jobs.isEmpty() || failed) {
            notifyAll();
            return null;
        }
        busy++;
        return jobs.removeFirst();
    }

    private synchronized void done(boolean succeeded) {
        busy--;
        failed |= !succeeded;
        if (failed || (busy == 0 && jobs.isEmpty())) {
            notifyAll();
        }
    }

    private void work() throws IOException, InterruptedException {
        for (var job = take(); job != null; job = take()) {
            boolean succeeded = false;
            try {
                job.run();
                succeeded = true;
            } finally {
                done(succeeded);
            }
        }
    }

    private void getFolder(Located folder, String name, Path target)
            throws IOException, InterruptedException {
        if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(
                    target, Permissions.forFolder(target, folder.attributes().mode()));
        }
        for (var child : mount.list(folder.handle(), name, leftOut)) {
            var childName = name + "/" + child.name();
            var childTarget = child(target, child.name(), name);
            var file = new Located(child.handle(), child.attributes());
            switch (child.attributes().type()) {
                case REGULAR -> add(() -> copier.get(file, childName, childTarget), false);
                case DIRECTORY -> add(() -> getFolder(file, childName, childTarget), true);
                case SYMBOLIC_LINK ->
                        add(
                                () ->
                                        copier.getLink(
                                                file.handle(), childName, childTarget, leftOut),
                                false);
                case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO -> {}
            }
        }
    }

    /** A server could send names that lead elsewhere, or that are none here. */
    private static Path child(Path folder, String childName, String name) throws IOException {
        Path child;
        try {
            child = folder.resolve(childName);
        } catch (InvalidPathException strange) {
            throw new IOException("a name in " + name + " cannot be used here", strange);
        }
        if (childName.indexOf('/') >= 0 || !folder.equals(child.getParent())) {
            throw new IOException("the server sent a bad name in " + name);
        }
        return child;
    }

    private void putFolder(Path source, Place target, String name)
            throws IOException, InterruptedException {
        var folder =
                mount.makeFolder(target, Permissions.ofFolder(source), true, "cannot make " + name);
        try (var children = Files.newDirectoryStream(source)) {
            for (var child : children) {
                if (!wanted.test(child)) {
                    continue;
                }
                var leaf = child.getFileName();
                var childName = name + "/" + leaf;
                LocalText.of(leaf)
                        .ifPresentOrElse(
                                text -> putChild(child, new Place(folder, text), childName),
                                () -> leftOut.add(childName));
            }
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
    }

    private void putChild(Path child, Place target, String name) {
        if (Files.isSymbolicLink(child)) {
            add(() -> copier.putLink(child, target, name, leftOut), false);
        } else if (Files.isDirectory(child)) {
            add(() -> putFolder(child, target, name), true);
        } else if (Files.isRegularFile(child)) {
            add(() -> copier.put(child, target, name), false);
        }
    }
}
