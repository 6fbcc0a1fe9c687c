package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.copy.CopyComparison.Need;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * Makes directories on a server, which get their attributes when they are full. Thread-safe.
 *
 * <p>Tests: {@code ExchangedNamesTest}, {@code ExistingDirectoriesTest}.
 */
record RemoteDirectories(RemoteFiles remote) {
    private static final int PERMISSIONS = 0777;

    /**
     * A directory that is filled.
     *
     * @param isNew whether this copy made it
     * @param attributes when it was made or found
     * @param isUsual whether it has the attributes of any new directory, and gets no others
     */
    record Directory(
            FileHandle handle, boolean isNew, FileAttributes attributes, boolean isUsual) {}

    private CopyContext context() {
        return remote.context();
    }

    /**
     * Makes a directory, or returns the one that is there, without rights that its source does not
     * grant if attributes are kept. A new one is empty and this user's, and grants others no more
     * than its mode.
     *
     * @param mode for a new directory
     * @param name for messages
     */
    Directory make(RemotePlace target, int mode, LocalSource source, String name)
            throws IOException, InterruptedException {
        var made = make(target, mode, name);
        if (!made.isNew && context().kept().attributes() && !isExport(target)) {
            narrow(made, source, name);
        }
        return made;
    }

    /**
     * Makes a directory with the attributes that any new one of this user has, or returns the one
     * that is there.
     *
     * @param name for messages
     */
    Directory makeUsual(RemotePlace target, String name) throws IOException, InterruptedException {
        int mode = Modes.made(PERMISSIONS, context().umask()) | Modes.FILLING_DIRECTORY;
        var made = make(target, mode, name);
        return new Directory(made.handle, made.isNew, made.attributes, true);
    }

    /** If this user may not do that, {@link #finish} fails. */
    private void narrow(Directory directory, LocalSource source, String name)
            throws IOException, InterruptedException {
        var what = "cannot keep the attributes of " + name;
        var wanted = source.status();
        var found = directory.attributes;
        int now = RemoteSource.status(found).mode();
        int mode = Modes.narrowed(now, source.acls().modeWithout(wanted.mode()));
        boolean hasOwners = found.uid() == wanted.uid() && found.gid() == wanted.gid();
        var changes = AttributeChanges.ofMode(mode);
        try {
            if (mode != now) {
                context().mount().change(directory.handle, changes, what);
            }
            context().acls().drop(directory.handle, mode, what, name);
            if (!hasOwners && context().attributes().user().mayGive(wanted.uid())) {
                // Its owner could have changed the mode until now.
                var uid = OptionalInt.of(wanted.uid());
                var owned = changes.withOwner(uid, OptionalInt.of(wanted.gid()));
                context().mount().change(directory.handle, owned, what);
            }
        } catch (NfsException refused) {
            if (!refused.isOfOwner()) {
                throw refused;
            }
        }
    }

    private Directory make(RemotePlace target, int mode, String name)
            throws IOException, InterruptedException {
        var what = "cannot make " + name;
        var mount = context().mount();
        if (!isExport(target)) {
            try {
                var wanted = AttributeChanges.ofMode(mode);
                var reply = mount.service().makeDirectory(target, wanted, what);
                var made = remote.newFiles().directory(reply, target, mode, what);
                return new Directory(made.handle(), true, made.attributes(), false);
            } catch (NfsException refused) {
                return there(target, what, refused);
            }
        }
        return there(mount.service().lookup(target, what), what);
    }

    /**
     * Returns a directory that is there, after MKDIR was refused. Servers look at the rights to its
     * parent before they look for the name, so the status need not be EXIST.
     */
    private Directory there(RemotePlace target, String what, NfsException refused)
            throws IOException, InterruptedException {
        return switch (refused.status()) {
            case EXIST -> there(context().service().lookup(target, what), what);
            case ACCES, PERM, ROFS ->
                    there(context().service().find(target, what).orElseThrow(() -> refused), what);
            default -> throw refused;
        };
    }

    private static Directory there(RemoteFile there, String what) throws NfsException {
        if (there.attributes().type() != FileType.DIRECTORY) {
            throw new NfsException(what, Status.NOTDIR);
        }
        return new Directory(there.handle(), false, there.attributes(), false);
    }

    /**
     * Gives a full directory its attributes, unless it was there and lacks none that the target
     * keeps. This is what {@link #plan} reports. The owner stays if the target gives all files of
     * this user to it.
     *
     * @param traits tells what its file system makes of new files
     * @param mode for a new directory, if attributes are not kept
     * @param name for messages
     */
    void finish(
            CopyComparison comparison,
            ServerTraits traits,
            RemotePlace place,
            Directory directory,
            LocalSource source,
            int mode,
            String name)
            throws IOException, InterruptedException {
        if (directory.isUsual) {
            return;
        }
        if (directory.isNew || !context().kept().attributes() || isExport(place)) {
            finish(place, directory, source, mode, name);
            return;
        }
        var attributes = context().service().attributes(directory.handle, "cannot stat " + name);
        var now = new RemoteFile(directory.handle, attributes);
        var target = traits.of(place, now, name);
        var copy = context().copy(now, name);
        if (comparison.need(source, copy, target) != Need.NOTHING) {
            boolean isMapped = comparison.isMapped(attributes.uid(), source.status().uid(), target);
            var lacking = source.lackedBy(copy);
            var kept = isMapped ? lacking.ownedBy(attributes.uid(), attributes.gid()) : lacking;
            finish(place, directory, kept, mode, name);
        }
    }

    /**
     * Gives a full directory its attributes.
     *
     * @param mode for a new directory, if attributes are not kept
     * @param name for messages
     */
    void finish(RemotePlace place, Directory directory, LocalSource source, int mode, String name)
            throws IOException, InterruptedException {
        if (context().kept().attributes()) {
            if (!isExport(place)) {
                remote.keep(place.directory(), directory.handle, source, directory.isNew, name);
            } else {
                var what = "cannot stat " + name;
                var there = context().service().attributes(directory.handle, what);
                reportExport(there, source.status(), name);
            }
            return;
        }
        int now = directory.attributes.mode();
        if (directory.isNew && (now & ~mode & Modes.FILLING_DIRECTORY) != 0) {
            context()
                    .mount()
                    .change(
                            directory.handle,
                            AttributeChanges.ofMode(Modes.ofDirectory(mode, now)),
                            "cannot set the permissions of " + name);
        }
    }

    /**
     * Reports what a trial finds about a directory that is there.
     *
     * @param traits tells what its file system makes of new files
     * @param name for messages
     */
    void plan(
            CopyComparison comparison,
            RemotePlace place,
            RemoteFile there,
            LocalSource source,
            ServerTraits traits,
            String name)
            throws IOException, InterruptedException {
        var target = traits.of(place, there, name);
        if (isExport(place)) {
            reportExport(there.attributes(), source.status(), name);
        } else if (comparison.need(source, context().copy(there, name), target) != Need.NOTHING) {
            context().listener().planned(CopyListener.Step.SET_ATTRIBUTES, name, 0);
        }
    }

    /** Returns whether a place is the root of an export: the directory "." in itself. */
    private static boolean isExport(RemotePlace place) {
        return place.name().isDots();
    }

    /**
     * Reports that the root of an export keeps its attributes: with those of the source, it could
     * be closed to all other users of the export.
     */
    private void reportExport(FileAttributes there, LocalStatus source, String name) {
        if (((source.mode() ^ there.mode()) & PERMISSIONS) != 0) {
            context().listener().attributesLeft(name);
        }
    }
}
