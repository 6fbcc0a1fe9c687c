package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.Attribute;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * Changes the attributes of a file whose path is valid, without following links. Java opens a file
 * to change its times. Opening a FIFO or device could wait forever or have side effects, so their
 * times are never changed.
 */
record AttributeWriter(AttributeReader reader, OpenFiles openFiles) {
    private static final int PERMISSION_MASK = 07777;
    private static final int OTHERS_EXECUTE = PosixFilePermission.OTHERS_EXECUTE.ordinal();

    /** Returns the permissions in a mode. */
    static Set<PosixFilePermission> permissions(int mode) {
        var granted = EnumSet.noneOf(PosixFilePermission.class);
        for (var permission : PosixFilePermission.values()) {
            // The constants are declared from the highest bit, for reading by the owner, downwards.
            if ((mode >>> (OTHERS_EXECUTE - permission.ordinal()) & 1) != 0) {
                granted.add(permission);
            }
        }
        return granted;
    }

    /**
     * Makes the changes in an order that keeps times right: size first, times last.
     *
     * @throws StoreException INVAL for the reserved id of no user or group and for times that Java
     *     does not have, NOTSUPP for access control lists and for the times of a FIFO or device,
     *     with the attributes that were set before a failure; see also {@link Failures}
     */
    void apply(ResolvedFile file, AttributeChanges changes) throws StoreException {
        requireOwners(changes);
        requireNoAcls(changes);
        time(changes.accessed());
        time(changes.modified());
        var set = EnumSet.noneOf(Attribute.class);
        try {
            apply(file, changes, set);
        } catch (StoreException failed) {
            throw set.isEmpty() ? failed : failed.after(set);
        }
    }

    private void apply(ResolvedFile file, AttributeChanges changes, EnumSet<Attribute> set)
            throws StoreException {
        if (changes.size().isPresent()) {
            resize(file, changes.size().getAsLong());
            set.add(Attribute.SIZE);
        }
        try {
            applyOthers(file, changes, set);
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, file.path());
        }
    }

    /** Refuses access control lists, which java.nio.file cannot set on Linux. */
    static void requireNoAcls(AttributeChanges changes) throws StoreException {
        if (changes.acls().isPresent()) {
            throw new StoreException(Failure.NOTSUPP);
        }
    }

    private static void requireOwners(AttributeChanges changes) throws StoreException {
        // Operating systems read this number as "leave the owner unchanged".
        if (changes.uid().orElse(0) == -1 || changes.gid().orElse(0) == -1) {
            throw new StoreException(Failure.INVAL);
        }
    }

    private void applyOthers(ResolvedFile file, AttributeChanges changes, EnumSet<Attribute> set)
            throws IOException, StoreException {
        if (changes.uid().isPresent()) {
            setOwner(file, "unix:uid", changes.uid().getAsInt());
            set.add(Attribute.OWNER);
        }
        if (changes.gid().isPresent()) {
            setOwner(file, "unix:gid", changes.gid().getAsInt());
            set.add(Attribute.GROUP);
        }
        boolean isLink = file.attributes().isSymbolicLink();
        // The permissions of a symbolic link have no meaning and cannot be changed.
        if (changes.mode().isPresent()) {
            if (!isLink) {
                setMode(file, changes.mode().getAsInt() & PERMISSION_MASK);
            }
            set.add(Attribute.MODE);
        }
        if (changes.changesTimes()) {
            if (!isLink) {
                requireHarmless(file);
            }
            Files.getFileAttributeView(
                            file.path(), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(time(changes.modified()), time(changes.accessed()), null);
        }
    }

    /**
     * Refuses files that are neither regular files nor directories, since opening them may have
     * side effects.
     */
    private static void requireHarmless(ResolvedFile file) throws StoreException {
        if (!file.attributes().isRegular() && !file.attributes().isDirectory()) {
            throw new StoreException(Failure.NOTSUPP);
        }
    }

    /** Sets the mode bits that the file system keeps. */
    private void setMode(ResolvedFile file, int mode) throws IOException {
        if (reader.keepsOwners()) {
            // With the NOFOLLOW_LINKS option, Java opens the file and still follows links.
            Files.setAttribute(file.path(), "unix:mode", mode);
        } else if (reader.keepsPermissions()) {
            Files.getFileAttributeView(
                            file.path(), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(permissions(mode));
        }
    }

    /** Sets an owner or a group, if the file system keeps them. */
    private void setOwner(ResolvedFile file, String attribute, int value) throws IOException {
        if (reader.keepsOwners()) {
            Files.setAttribute(file.path(), attribute, value, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static FileTime time(TimeChange change) throws StoreException {
        return switch (change) {
            case TimeChange.Keep() -> null;
            case TimeChange.Now() -> FileTime.from(Instant.now());
            case TimeChange.To(var time) -> time(time);
        };
    }

    /** Version 4 has times of 64 bits, more than Java does. */
    private static FileTime time(Time time) throws StoreException {
        try {
            return FileTime.from(Instant.ofEpochSecond(time.seconds(), time.nanos()));
        } catch (DateTimeException _) {
            throw new StoreException(Failure.INVAL);
        }
    }

    private void resize(ResolvedFile file, long size) throws StoreException {
        file.requireRegular();
        if (size < 0) {
            throw new StoreException(Failure.FBIG);
        }
        for (int attempt = 1; ; attempt++) {
            try (var use = openFiles.open(file, true)) {
                reader.requireRoom(file.path(), use.channel().size(), size);
                resize(use, size);
                return;
            } catch (ClosedChannelException closed) {
                if (attempt == FileData.ATTEMPTS_MAX || Thread.currentThread().isInterrupted()) {
                    throw Failures.ofData(closed, file.path(), 0, 0);
                }
            } catch (IOException | RuntimeException failure) {
                // Only the operating system's files can have holes, which take no space.
                long room = reader.isDefault() ? 0 : size - file.attributes().status().size();
                throw Failures.ofData(failure, file.path(), room, size);
            }
        }
    }

    private static void resize(OpenFiles.Use use, long size) throws IOException {
        var channel = use.channel();
        long now = channel.size();
        if (size < now) {
            channel.truncate(size);
        } else if (size > now) {
            // Writing the last byte extends the file; the range before it is a hole.
            use.writes();
            channel.write(ByteBuffer.allocate(1), size - 1);
            use.writes();
        }
    }
}
