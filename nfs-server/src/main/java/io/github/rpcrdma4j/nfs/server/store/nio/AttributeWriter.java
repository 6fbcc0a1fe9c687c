package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.server.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * Changes the attributes of a file whose path holds, without following links. Java opens a file to
 * change its times; so those of a FIFO or a device, where that could wait for ever or do something,
 * stay as they are.
 */
record AttributeWriter(AttributeReader reader, OpenFiles openFiles) {
    private static final int PERMISSION_MASK = 07777;
    private static final int OTHERS_EXECUTE = PosixFilePermission.OTHERS_EXECUTE.ordinal();

    /** The permissions in a mode. */
    static Set<PosixFilePermission> permissions(int mode) {
        var granted = EnumSet.noneOf(PosixFilePermission.class);
        for (var permission : PosixFilePermission.values()) {
            // They are declared from the highest bit, that of the owner's reading, down.
            if ((mode >>> (OTHERS_EXECUTE - permission.ordinal()) & 1) != 0) {
                granted.add(permission);
            }
        }
        return granted;
    }

    /**
     * Makes the changes in the order that keeps times right: the size first, the times last.
     *
     * @throws StoreException INVAL for an owner that is none; NOTSUPP for what cannot be changed of
     *     a device, and see {@link Failures}
     */
    void apply(ResolvedFile file, AttributeChanges changes) throws StoreException {
        requireOwners(changes);
        if (changes.size().isPresent()) {
            resize(file, changes.size().getAsLong());
        }
        try {
            applyOthers(file, changes);
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, file.path());
        }
    }

    private static void requireOwners(AttributeChanges changes) throws StoreException {
        // Systems take this number for "leave it as it is".
        if (changes.uid().orElse(0) == -1 || changes.gid().orElse(0) == -1) {
            throw new StoreException(Failure.INVAL);
        }
    }

    private void applyOthers(ResolvedFile file, AttributeChanges changes)
            throws IOException, StoreException {
        if (reader.keepsOwners()) {
            if (changes.uid().isPresent()) {
                set(file, "unix:uid", changes.uid().getAsInt());
            }
            if (changes.gid().isPresent()) {
                set(file, "unix:gid", changes.gid().getAsInt());
            }
        }
        boolean isLink = file.attributes().isSymbolicLink();
        // The permissions of a symbolic link mean nothing and cannot be changed.
        if (changes.mode().isPresent() && !isLink) {
            setMode(file, changes.mode().getAsInt() & PERMISSION_MASK);
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

    /** Refuses to open what is neither a file nor a directory. */
    private static void requireHarmless(ResolvedFile file) throws StoreException {
        if (!file.attributes().isRegular() && !file.attributes().isDirectory()) {
            throw new StoreException(Failure.NOTSUPP);
        }
    }

    /** Sets as much of the mode as the file system keeps. */
    private void setMode(ResolvedFile file, int mode) throws IOException {
        if (reader.keepsOwners()) {
            // With an option for links Java opens the file, and follows them nevertheless.
            Files.setAttribute(file.path(), "unix:mode", mode);
        } else if (reader.keepsPermissions()) {
            Files.getFileAttributeView(
                            file.path(), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(permissions(mode));
        }
    }

    private static void set(ResolvedFile file, String attribute, int value) throws IOException {
        Files.setAttribute(file.path(), attribute, value, LinkOption.NOFOLLOW_LINKS);
    }

    private static FileTime time(TimeChange change) {
        return switch (change) {
            case TimeChange.Keep() -> null;
            case TimeChange.Now() -> FileTime.from(Instant.now());
            case TimeChange.To(var time) ->
                    FileTime.from(Instant.ofEpochSecond(time.seconds(), time.nanos()));
        };
    }

    private void resize(ResolvedFile file, long size) throws StoreException {
        file.requireRegular();
        if (size < 0) {
            throw new StoreException(Failure.FBIG);
        }
        for (int attempt = 1; ; attempt++) {
            try (var use = openFiles.open(file, true)) {
                resize(use, size);
                return;
            } catch (ClosedChannelException closed) {
                if (attempt == FileData.ATTEMPTS_MAX || Thread.currentThread().isInterrupted()) {
                    throw Failures.ofData(closed, file.path(), 0, 0);
                }
            } catch (IOException | RuntimeException failure) {
                // Only the operating system's files can have holes.
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
            // A file grows by its last byte; what lies between is a hole.
            use.writes();
            channel.write(ByteBuffer.allocate(1), size - 1);
            use.writes();
        }
    }
}
