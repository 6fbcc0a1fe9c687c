package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.file.NameRoom;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.local.UserXattrs;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes files on this machine. Until a file is complete it has a temporary name, and only its owner
 * may use it. Thread-safe.
 *
 * <p>Tests: {@code CopiesTest}, {@code ExchangedDirectoriesTest}.
 */
record LocalFiles(CopyContext context, LocalTree tree) {
    /** Fills a file that exists. */
    interface Filling {
        void fill(LocalFile file) throws IOException, InterruptedException;

        /** Returns what the file keeps of its source, which may have changed meanwhile. */
        RemoteSource kept(RemoteSource before) throws IOException, InterruptedException;
    }

    /**
     * Makes a regular file. It replaces an existing file, but not a directory.
     *
     * @param name for messages
     */
    void get(RemoteSource source, LocalPath target, String name, Filling filling)
            throws IOException, InterruptedException {
        var what = "cannot write " + name;
        var replaced = tree.find(target, what);
        requireNoDirectory(replaced, what);
        make(
                target,
                what,
                (in, temporary) -> {
                    try (var file = in.create(temporary, Modes.FILLING_FILE, what)) {
                        filling.fill(file);
                        finish(file, filling.kept(source), replaced, name);
                        file.finish();
                    }
                });
    }

    private interface Making {
        void at(LocalTree in, LocalPath temporary) throws IOException, InterruptedException;
    }

    /** Makes a file under a temporary name and renames it; removes it if that fails. */
    private void make(LocalPath target, String what, Making making)
            throws IOException, InterruptedException {
        var name = TemporaryName.of(target.name(), RunningProcess.current());
        var temporary = target.directory().child(name);
        boolean complete = false;
        try {
            making.at(tree, temporary);
            tree.rename(temporary, target, what);
            complete = true;
        } finally {
            if (!complete) {
                discard(temporary);
            }
        }
    }

    static void requireNoDirectory(Optional<LocalStatus> there, String what) throws LocalException {
        if (there.isPresent() && there.get().isDirectory()) {
            throw new LocalException(what, Reason.IS_A_DIRECTORY);
        }
    }

    void finish(LocalFile file, RemoteSource source, Optional<LocalStatus> replaced, String name)
            throws IOException, InterruptedException {
        if (context.kept().attributes()) {
            keep(
                    new LocalCopy() {
                        @Override
                        public void change(LocalChanges changes) throws IOException {
                            file.change(changes);
                        }

                        @Override
                        public void setAcls(ExtendedAcls acls) throws IOException {
                            file.setAcls(acls);
                        }

                        @Override
                        public void setXattrs(UserXattrs xattrs, String name) throws IOException {
                            file.setXattrs(xattrs, name);
                        }
                    },
                    source,
                    name);
            return;
        }
        var attributes = source.attributes();
        boolean inPlace = replaced.isPresent() && replaced.get().type() == attributes.type();
        int mode = Modes.made(attributes.mode(), context.umask());
        if (inPlace) {
            mode = Modes.replacing(replaced.get().mode(), attributes.mode());
            boolean hasGroup = replaced.get().gid() == file.status().gid();
            mode = hasGroup ? mode : Modes.withoutGroup(mode);
        }
        if (mode != Modes.FILLING_FILE) {
            file.change(LocalChanges.ofMode(mode));
        }
    }

    /**
     * Gives a copy the attributes of its source. It loses inherited access control lists first: a
     * change of its mode would change the rights of their users.
     */
    private void keep(LocalCopy copy, RemoteSource source, String name)
            throws IOException, InterruptedException {
        copy.setAcls(ExtendedAcls.NONE);
        context.xattrs().keep(copy, source, name);
        context.attributes().keep(copy, source, name);
        context.acls().keep(copy, source.acls(), name);
    }

    /**
     * Gives a copy the attributes of its source.
     *
     * @param found the copy when it was made or found
     * @param name for messages
     */
    void keep(LocalPath copy, LocalStatus found, RemoteSource source, String name)
            throws IOException, InterruptedException {
        keep(copy(copy, found, "cannot keep the attributes of " + name), source, name);
    }

    private interface Change {
        void run() throws IOException;
    }

    private static void changeIfPermitted(Change change) throws IOException {
        try {
            change.run();
        } catch (LocalException refused) {
            if (!AttributePreserver.isOfOwner(refused.reason())) {
                throw refused;
            }
        }
    }

    /**
     * Refuses a directory that another user put in the place of a new one. One of this user loses
     * the rights that the new one was not to have: its file system may have inherited them.
     *
     * @param place where the directory was made
     * @param in what was found there
     * @param mode with which the directory was made
     */
    void requireMade(LocalPath place, LocalTree in, int mode, String what) throws IOException {
        var made = in.status(LocalPath.ROOT, what);
        boolean isOwn =
                context.attributes().user().isOwn(made.uid())
                        || traits(place, what).owner().equals(OptionalInt.of(made.uid()));
        if (isOwn && (made.mode() & Modes.OF_ALL_OTHERS & ~mode) != 0) {
            var changes = LocalChanges.ofMode(mode);
            changeIfPermitted(() -> in.change(LocalPath.ROOT, made, changes, what));
        }
        if (!isOwn) {
            throw replaced(what);
        }
        LocalTree.Room none =
                (_, _) -> {
                    throw replaced(what);
                };
        in.list(LocalPath.ROOT, none, what);
    }

    private static LocalException replaced(String what) {
        return new LocalException(what, Reason.OTHER, "another directory has taken its place");
    }

    /**
     * Takes from a directory the rights that its source does not grant, before it is filled. If
     * this user may not do that, {@link #keep} fails at the end.
     *
     * @param found the directory when it was found
     * @param name for messages
     */
    void narrow(LocalPath directory, LocalStatus found, RemoteSource source, String name)
            throws IOException {
        var what = "cannot keep the attributes of " + name;
        var wanted = source.attributes();
        int granted = source.acls().modeWithout(wanted.mode());
        int mode = Modes.narrowed(found.mode(), granted);
        boolean hasOwners = found.uid() == wanted.uid() && found.gid() == wanted.gid();
        try {
            if (mode != found.mode()) {
                tree.change(directory, found, LocalChanges.ofMode(mode), what);
            }
            if (!tree.acls(directory, what).isNone()) {
                tree.setAcls(directory, found, ExtendedAcls.NONE, what);
            }
            if (!hasOwners && context.attributes().user().mayGive(wanted.uid())) {
                // Its owner could have changed the mode until now.
                var changes = LocalChanges.ofMode(mode).withOwner(wanted.uid(), wanted.gid());
                tree.change(directory, found, changes, what);
            }
        } catch (LocalException refused) {
            if (refused.reason() != Reason.NOT_PERMITTED) {
                throw refused;
            }
        }
    }

    /** Returns what changes the attributes of a file, as long as it is the one that was found. */
    private LocalCopy copy(LocalPath copy, LocalStatus found, String what) {
        return new LocalCopy() {
            @Override
            public void change(LocalChanges changes) throws IOException {
                tree.change(copy, found, changes, what);
            }

            @Override
            public void setAcls(ExtendedAcls acls) throws IOException {
                tree.setAcls(copy, found, acls, what);
            }

            @Override
            public void setXattrs(UserXattrs xattrs, String name) throws IOException {
                tree.setXattrs(copy, found, xattrs, name);
            }
        };
    }

    /**
     * Returns the questions for the file system of a target.
     *
     * @param what for messages
     */
    NewFileTraits.Asking asking(LocalPath target, String what) {
        return new NewFileTraits.Asking() {
            @Override
            public NewFileTraits ask() throws IOException {
                return traits(target, what);
            }

            @Override
            public boolean givesTo(int group) throws IOException {
                return withNewFile(target, LocalChanges.ofGroup(group), what).gid() == group;
            }
        };
    }

    /** Finds out what the file system of a target makes of new files, by a temporary one. */
    private NewFileTraits traits(LocalPath target, String what) throws IOException {
        var wanted = LocalChanges.ofMode(Modes.FILLING_FILE | Modes.SET_IDS);
        var now = withNewFile(target, wanted, what);
        return new NewFileTraits(
                OptionalInt.of(now.uid()), (now.mode() & Modes.SET_IDS) == Modes.SET_IDS);
    }

    /**
     * Makes a temporary file, changes it, and returns the attributes that it then has. The file
     * system may refuse the change, but not the file.
     */
    private LocalStatus withNewFile(LocalPath target, LocalChanges wanted, String what)
            throws IOException {
        var name = TemporaryName.of(target.name(), RunningProcess.current());
        var temporary = target.directory().child(name);
        try (var file = tree.create(temporary, Modes.FILLING_FILE, what)) {
            try {
                changeIfPermitted(() -> file.change(wanted));
                return file.status();
            } finally {
                discard(temporary);
            }
        }
    }

    void discard(LocalPath temporary) {
        try {
            tree.remove(temporary, "cannot remove " + temporary.name().escaped());
        } catch (LocalException failure) {
            // Only the failure that led here is reported; the next copy sweeps.
            if (failure.reason() != Reason.MISSING) {
                context.leftovers().countHere();
            }
        } catch (IOException _) {
            context.leftovers().countHere();
        }
    }

    /** Makes a symbolic link. It replaces an existing file, but not a directory. */
    void getLink(PathName text, FileAttributes source, LocalPath target, String name)
            throws IOException, InterruptedException {
        var what = "cannot make the link " + name;
        makeWithoutContents(
                target,
                what,
                (in, temporary) -> in.makeLink(temporary, text, what),
                new RemoteSource(source, ExtendedAcls.NONE),
                name);
    }

    /** Makes a FIFO, socket or device. It replaces an existing file, but not a directory. */
    void getNode(RemoteSource node, LocalPath target, String name)
            throws IOException, InterruptedException {
        var source = node.attributes();
        var type = source.type();
        var what = "cannot make the " + RemoteFiles.words(type) + " " + name;
        int mode = Modes.made(source.mode(), context.umask());
        int major = source.deviceMajor();
        int minor = source.deviceMinor();
        makeWithoutContents(
                target,
                what,
                (in, temporary) -> in.makeNode(temporary, type, mode, major, minor, what),
                node,
                name);
    }

    /**
     * Adds a hard link to a copied file. It replaces an existing file, but not a directory.
     *
     * @param from the tree that holds the copied file
     * @param copied the copied file when it was complete
     */
    void link(LocalTree from, LocalPath copy, LocalStatus copied, LocalPath target, String name)
            throws IOException, InterruptedException {
        var what = "cannot make the hard link " + name;
        var there = tree.find(target, what);
        if (there.isPresent() && isCopy(there.get(), copied)) {
            return;
        }
        requireNoDirectory(there, what);
        make(
                target,
                what,
                (in, temporary) -> {
                    in.link(from, copy, temporary, what);
                    if (!isCopy(in.status(temporary, what), copied)) {
                        throw new LocalException(
                                what, Reason.OTHER, "another file has taken the place of its copy");
                    }
                });
    }

    /** Returns whether a file is the copied one, which may have got more names. */
    private static boolean isCopy(LocalStatus now, LocalStatus copied) {
        return now.isSameFile(copied)
                && now.uid() == copied.uid()
                && now.size() == copied.size()
                && now.modified().equals(copied.modified());
    }

    /** Makes a file without contents, and gives it the attributes of its source. */
    private void makeWithoutContents(
            LocalPath target, String what, Making making, RemoteSource source, String name)
            throws IOException, InterruptedException {
        requireNoDirectory(tree.find(target, what), what);
        if (!context.kept().attributes()) {
            make(target, what, making);
            return;
        }
        Making keeping =
                (in, temporary) -> {
                    making.at(in, temporary);
                    var made = in.status(temporary, what);
                    new LocalFiles(context, in).keep(temporary, made, source, name);
                };
        if (isOwners(tree.status(target.directory(), what))) {
            make(target, what, keeping);
        } else {
            makeApart(target, what, keeping);
        }
    }

    /** Returns whether nobody but this user may rename files in a directory. */
    private boolean isOwners(LocalStatus directory) {
        return context.attributes().user().isOwn(directory.uid())
                && (directory.mode() & Modes.WRITE_OF_OTHERS) == 0;
    }

    /**
     * Makes a file in a directory of its own, which is open to this user alone, and renames it when
     * it has its attributes. Other users may rename files in the target directory: they could
     * exchange the file for another one, which would then get the attributes.
     */
    private void makeApart(LocalPath target, String what, Making making)
            throws IOException, InterruptedException {
        var name = TemporaryName.of(target.name(), RunningProcess.current());
        var apart = target.directory().child(name);
        tree.makeDirectory(apart, Modes.FILLING_DIRECTORY, what);
        try (var in = tree.below(apart, tree.status(apart, what), what)) {
            requireMade(apart, in, Modes.FILLING_DIRECTORY, what);
            var made = LocalPath.ROOT.child(name);
            boolean complete = false;
            try {
                making.at(in, made);
                tree.rename(apart.child(name), target, what);
                complete = true;
            } finally {
                if (!complete) {
                    new LocalFiles(context, in).discard(made);
                }
            }
        } finally {
            discardDirectory(apart);
        }
    }

    private void discardDirectory(LocalPath apart) {
        try {
            tree.removeDirectory(apart, "cannot remove " + apart.name().escaped());
        } catch (IOException _) {
            context.leftovers().countHere();
        }
    }

    /**
     * Removes leftovers of ended copies from a directory. Files that cannot be removed stay: they
     * are another user's, or already gone.
     *
     * @param memory for the names in it
     * @param path of the directory, for messages
     */
    void sweep(LocalPath directory, NameMemory.Share memory, String path) throws IOException {
        var what = "cannot list " + path;
        for (var name : tree.list(directory, new NameRoom(memory, what), what)) {
            var maker = TemporaryName.maker(name);
            boolean isKept = context.resumes() && TemporaryName.checkpoint(name).isPresent();
            if (!isKept && maker.isPresent() && maker.get().state() == RunningProcess.State.ENDED) {
                try {
                    sweepOne(directory.child(name), "cannot remove " + name.escaped());
                } catch (IOException _) {
                    // As on the server, the copy itself continues.
                }
            }
        }
    }

    /** Removes a leftover: a file, or a directory of this user with one of the same name in it. */
    private void sweepOne(LocalPath left, String what) throws IOException {
        var found = tree.status(left, what);
        if (!found.isDirectory()) {
            tree.remove(left, what);
            return;
        }
        try (var in = tree.below(left, found, what)) {
            if (!isOwners(in.status(LocalPath.ROOT, what))) {
                return;
            }
            var inner = LocalPath.ROOT.child(left.name());
            if (in.find(inner, what).isPresent()) {
                in.remove(inner, what);
            }
        }
        tree.removeDirectory(left, what);
    }
}
