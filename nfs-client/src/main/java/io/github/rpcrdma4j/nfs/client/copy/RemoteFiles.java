package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.file.Listing;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.file.NewFiles;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * Makes files on a server. Until a file is complete it has a temporary name, and only its owner may
 * use it. Thread-safe.
 *
 * <p>Tests: {@code CopiesTest}, {@code ExchangedTemporaryFilesTest}.
 */
final class RemoteFiles {
    /** After this time, temporary files of a process on another machine count as abandoned. */
    private static final Duration ABANDONED = Duration.ofDays(1);

    private static final int NEW_FILE = 0666;
    private static final int DISCARDS_MAX = 2;

    /** The most names that one file is made under. */
    private static final int NAMES_MAX = 3;

    /** The most READDIR calls that the sweep before a single-file copy may make. */
    private static final int SWEPT_PAGES = 16;

    private final CopyContext context;
    private final NfsMount mount;
    private final ServerTraits traits;

    RemoteFiles(CopyContext context) {
        this.context = context;
        this.mount = context.mount();
        this.traits = new ServerTraits(this, false);
    }

    CopyContext context() {
        return context;
    }

    /** Returns what proves which files this copy has made. */
    NewFiles newFiles() {
        return new NewFiles(
                mount.service(),
                (place, file) -> {
                    var owner = OptionalInt.of(file.attributes().uid());
                    // A server may give the files of this user to another one.
                    return context.attributes().user().isKnownAs(file.attributes().uid())
                            || traits.of(place, file, place.name().escaped())
                                    .ask()
                                    .owner()
                                    .equals(owner);
                });
    }

    /** Fills a file. */
    interface Filling {
        /**
         * Writes the contents.
         *
         * @return length of the file, in bytes
         */
        long fill(FileHandle file) throws IOException, InterruptedException;

        /** Makes the file with some of the contents; empty if it is to be made without. */
        default Optional<TemporaryFile> make(RemotePlace temporary)
                throws IOException, InterruptedException {
            return Optional.empty();
        }

        /** Returns what the file keeps of its source, which may have changed meanwhile. */
        default Optional<LocalSource> kept(Optional<LocalSource> before)
                throws IOException, InterruptedException {
            return before;
        }
    }

    /** A complete new file. */
    record Made(FileHandle handle, long bytes) {}

    /**
     * Makes a regular file.
     *
     * @param source source of its attributes; empty for the default attributes of a new file
     * @param replaced attributes of the existing file of that name
     * @param name for messages
     */
    Made put(
            RemotePlace target,
            Optional<LocalSource> source,
            Optional<FileAttributes> replaced,
            String name,
            Filling filling)
            throws IOException, InterruptedException {
        var what = "cannot write " + name;
        if (replaced.isPresent() && replaced.get().isDirectory()) {
            throw new NfsException(what, Status.ISDIR);
        }
        return make(
                target,
                temporary -> {
                    var filled = filling.make(temporary);
                    return filled.isPresent()
                            ? filled.get()
                            : WorkerGroup.runUninterrupted(() -> create(temporary, what));
                },
                (made, temporary) -> {
                    long bytes = filling.fill(made.handle());
                    finish(made, temporary, target, filling.kept(source), replaced, name);
                    return new Made(made.handle(), bytes);
                });
    }

    /** Makes a file. */
    private interface Making<M> {
        M at(RemotePlace temporary) throws IOException, InterruptedException;
    }

    /** Completes a file, and renames it to its target. */
    private interface Completing<M, R> {
        R from(M made, RemotePlace temporary) throws IOException, InterruptedException;
    }

    /** Makes a file under a temporary name, and removes it if its completion fails. */
    private <M, R> R make(RemotePlace target, Making<M> making, Completing<M, R> completing)
            throws IOException, InterruptedException {
        var process = RunningProcess.current();
        var named =
                named(target.directory(), () -> TemporaryName.of(target.name(), process), making);
        boolean complete = false;
        try {
            R completed = completing.from(named.made, named.temporary);
            complete = true;
            return completed;
        } finally {
            if (!complete) {
                discard(named.temporary);
            }
        }
    }

    /** A new file, and the temporary name that it has. */
    record Named<M>(M made, RemotePlace temporary) {}

    /** Makes the incomplete file of a copy that can be resumed. */
    Named<TemporaryFile> create(FileHandle directory, Supplier<FileName> names, String what)
            throws IOException, InterruptedException {
        return named(
                directory,
                names,
                temporary -> WorkerGroup.runUninterrupted(() -> create(temporary, what)));
    }

    /**
     * Makes a file under a temporary name, and removes it if that fails. Even an interrupted copy
     * waits until the file is made: otherwise the server could make it after the request to remove
     * it. If nobody knows whether the file of the name is the one that was made, another one is
     * made.
     *
     * @param names returns names that no file has
     */
    private <M> Named<M> named(FileHandle directory, Supplier<FileName> names, Making<M> making)
            throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            var temporary = new RemotePlace(directory, names.get());
            boolean isMade = false;
            try {
                M made = making.at(temporary);
                isMade = true;
                return new Named<>(made, temporary);
            } catch (OutcomeUnknownException unknown) {
                if (tries == NAMES_MAX) {
                    throw unknown;
                }
            } finally {
                if (!isMade) {
                    discard(temporary);
                }
            }
        }
    }

    /** Makes an empty file. */
    TemporaryFile create(RemotePlace place, String what) throws IOException, InterruptedException {
        var mode = AttributeChanges.ofMode(Modes.FILLING_FILE);
        if (mount.service().makesFilled()) {
            var nothing = MemorySegment.NULL;
            return TemporaryFile.of(mount.service().makeFilled(place, mode, nothing, what));
        }
        var made = mount.service().makeFile(place, mode, false, what);
        return TemporaryFile.of(NewFiles.ofCaller(mount.service()).file(made, place, what));
    }

    /** Returns the mode of a new file, which may replace an existing one. */
    private int mode(TemporaryFile temporary, int source, Optional<FileAttributes> replaced) {
        // The mode of a symbolic link grants nothing.
        var file = replaced.filter(there -> there.type() == FileType.REGULAR);
        if (file.isEmpty()) {
            return Modes.made(source, context.umask());
        }
        int mode = Modes.replacing(file.get().mode(), source);
        boolean hasGroup = temporary.gid() == file.get().gid();
        return hasGroup ? mode : Modes.withoutGroup(mode);
    }

    void finish(
            TemporaryFile made,
            RemotePlace temporary,
            RemotePlace target,
            Optional<LocalSource> source,
            Optional<FileAttributes> replaced,
            String name)
            throws IOException, InterruptedException {
        var what = "cannot write " + name;
        if (source.isPresent() && context.kept().attributes()) {
            keep(target.directory(), made.handle(), source.get(), true, name);
            rename(made.handle(), temporary, target, what);
            return;
        }
        int mode = mode(made, source.map(file -> file.status().mode()).orElse(NEW_FILE), replaced);
        var left = mode == Modes.FILLING_FILE ? made.left() : made.left().withMode(mode);
        if (left.equals(AttributeChanges.NONE)) {
            rename(made.handle(), temporary, target, what);
            return;
        }
        // Their order does not matter: a complete file may have its owner's permissions alone for a
        // moment.
        renamed(
                made.handle(),
                target,
                what,
                () ->
                        mount.service()
                                .changeAndRename(
                                        made.handle(),
                                        left,
                                        temporary,
                                        target,
                                        "cannot set the permissions of " + name,
                                        what));
    }

    /**
     * Gives a copy the attributes of its source.
     *
     * @param directory the directory of the copy
     * @param isNew whether this copy made the file
     * @param name for messages
     */
    void keep(FileHandle directory, FileHandle made, LocalSource source, boolean isNew, String name)
            throws IOException, InterruptedException {
        context.acls().clear(directory, made, source, isNew, name);
        // A user may set them only while the mode lets its owner write.
        context.xattrs().keep(made, source, isNew, name);
        context.attributes().keep(mount, made, source, name);
        context.acls().keep(made, source, name);
    }

    void rename(FileHandle file, RemotePlace temporary, RemotePlace target, String what)
            throws IOException, InterruptedException {
        renamed(file, target, what, () -> mount.service().rename(temporary, target, what));
    }

    /** A call that renames a file. */
    private interface Renaming {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Renames a file, and throws the failure of that unless the rename took place. A restarted
     * server may execute a retransmitted RENAME again, and then refuses it.
     */
    private void renamed(FileHandle file, RemotePlace target, String what, Renaming renaming)
            throws IOException, InterruptedException {
        try {
            renaming.run();
        } catch (NfsException refused) {
            if (refused.status() != Status.NOENT || !isAt(target, file, what)) {
                throw refused;
            }
        } catch (OutcomeUnknownException unknown) {
            if (!isAt(target, file, what)) {
                throw unknown;
            }
        }
    }

    private boolean isAt(RemotePlace place, FileHandle file, String what)
            throws IOException, InterruptedException {
        return mount.service()
                .find(place, what)
                .filter(there -> there.handle().equals(file))
                .isPresent();
    }

    /** Removes the temporary file of a failed copy, if the server can still be reached. */
    void discard(RemotePlace temporary) {
        boolean interrupted = Thread.interrupted();
        boolean asked = false;
        for (int tries = 0; !asked && tries < DISCARDS_MAX; tries++) {
            try {
                mount.service().remove(temporary, "cannot remove " + temporary.name().escaped());
                asked = true;
            } catch (NfsException _) {
                // It is gone, or cannot be removed. Only the failure that led here is reported.
                asked = true;
            } catch (IOException _) {
                break;
            } catch (InterruptedException _) {
                // Another thread's failure may interrupt a copy that is failing already.
                interrupted = true;
            }
        }
        if (!asked) {
            context.leftovers().countOnServer();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds a hard link to a copied file. It replaces an existing file, but not a directory. */
    void link(FileHandle copy, RemotePlace target, String name)
            throws IOException, InterruptedException {
        var what = "cannot make the hard link " + name;
        try {
            mount.service().link(copy, target, what);
        } catch (NfsException exists) {
            if (exists.status() != Status.EXIST) {
                throw exists;
            }
            var there = mount.service().find(target, what);
            if (there.isPresent() && there.get().handle().equals(copy)) {
                return;
            }
            replace(
                    target,
                    what,
                    temporary -> {
                        mount.service().link(copy, temporary, what);
                        return copy;
                    });
        }
    }

    /** Returns whether two FIFOs, sockets or devices are alike, but for their rights. */
    static boolean isSameNode(LocalStatus local, FileAttributes remote) {
        var there = RemoteSource.status(remote);
        return local.type() == there.type()
                && local.major() == there.major()
                && local.minor() == there.minor();
    }

    static String words(FileType type) {
        return switch (type) {
            case REGULAR -> "file";
            case DIRECTORY -> "directory";
            case BLOCK_DEVICE -> "block device";
            case CHARACTER_DEVICE -> "character device";
            case SYMBOLIC_LINK -> "link";
            case SOCKET -> "socket";
            case FIFO -> "FIFO";
        };
    }

    /** Makes a file without contents. */
    interface Creating {
        FileHandle at(RemotePlace place) throws IOException, InterruptedException;
    }

    /** Makes a file under a temporary name, and then gives it the name of an existing one. */
    FileHandle replace(RemotePlace target, String what, Creating creating)
            throws IOException, InterruptedException {
        return make(
                target,
                temporary -> WorkerGroup.runUninterrupted(() -> creating.at(temporary)),
                (made, temporary) -> {
                    rename(made, temporary, target, what);
                    return made;
                });
    }

    /** Removes leftovers of ended copies among the first names of a directory. */
    void sweepSome(FileHandle directory) throws InterruptedException {
        for (var name : Listing.some(mount.service(), directory, SWEPT_PAGES)) {
            if (TemporaryName.is(name) && !isKept(name)) {
                try {
                    var place = new RemotePlace(directory, name);
                    var what = "cannot find " + name.escaped();
                    var there = mount.service().find(place, what);
                    if (there.isPresent()
                            && isLeftover(
                                    new NamedFile(
                                            name,
                                            there.get().handle(),
                                            there.get().attributes()))) {
                        mount.service().remove(place, what);
                    }
                } catch (IOException _) {
                    // The file stays. If something is wrong, the copy itself will report it.
                }
            }
        }
    }

    /**
     * Removes leftovers of ended copies from a directory, and returns the other files in it.
     *
     * @param path of the directory, for messages
     * @param memory accounts for the names
     */
    Map<FileName, RemoteFile> sweep(FileHandle directory, String path, NameMemory.Share memory)
            throws IOException, InterruptedException {
        return list(directory, path, memory, true);
    }

    /**
     * Returns the files in a directory, without leftovers of ended copies.
     *
     * @param path of the directory, for messages
     * @param memory accounts for the names
     * @param sweeps whether to remove these leftovers
     */
    Map<FileName, RemoteFile> list(
            FileHandle directory, String path, NameMemory.Share memory, boolean sweeps)
            throws IOException, InterruptedException {
        var there = new HashMap<FileName, RemoteFile>();
        for (var each : mount.list(directory, Wanted.ALL, path, memory)) {
            if (!isLeftover(each)) {
                there.put(each.name(), new RemoteFile(each.handle(), each.attributes()));
            } else if (sweeps && !isKept(each.name())) {
                try {
                    mount.service()
                            .remove(
                                    new RemotePlace(directory, each.name()),
                                    "cannot remove " + path + "/" + each.name().escaped());
                } catch (NfsException _) {
                    // The file stays: it is another user's, or is already gone.
                }
            }
        }
        return there;
    }

    /** Returns whether an incomplete copy stays, because it can be resumed. */
    private boolean isKept(FileName name) {
        return context.resumes() && TemporaryName.checkpoint(name).isPresent();
    }

    private static boolean isLeftover(NamedFile file) {
        return isLeftover(file, Instant.now());
    }

    /**
     * Returns whether a file is a leftover of an ended copy. If its process cannot be seen, the
     * file must be unchanged for a day. The time of its last status change must be old too: a file
     * that lacks only its final name already has the modification time of its source.
     */
    static boolean isLeftover(NamedFile file, Instant now) {
        if (file.attributes().type() == FileType.DIRECTORY) {
            return false;
        }
        var maker = TemporaryName.maker(file.name());
        if (maker.isEmpty()) {
            return false;
        }
        return switch (maker.get().state()) {
            case RUNNING -> false;
            case ENDED -> true;
            case UNKNOWN -> {
                var before = now.minus(ABANDONED);
                yield file.attributes().modified().isBefore(before)
                        && file.attributes().changed().isBefore(before);
            }
        };
    }
}
