package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.EnumSet;

/** Changes the attributes of a file, without following links. */
final class AttributeChanges {
    private static final int PERMISSION_MASK = 07777;
    private static final int OTHERS_EXECUTE = PosixFilePermission.OTHERS_EXECUTE.ordinal();

    private final OpenFiles openFiles;

    AttributeChanges(OpenFiles openFiles) {
        this.openFiles = openFiles;
    }

    /**
     * Refuses an owner that is none, which the system would take for "leave it as it is".
     *
     * @throws Refusal INVAL
     */
    static void requireOwners(SetAttributes changes) throws Refusal {
        if (changes.uid().isPresent() && changes.uid().getAsInt() == ExportRule.NO_ID
                || changes.gid().isPresent() && changes.gid().getAsInt() == ExportRule.NO_ID) {
            throw new Refusal(Status.INVAL);
        }
    }

    /** Makes the changes in the order that keeps times right: the size first, the times last. */
    void apply(Located file, SetAttributes changes) throws IOException, Refusal {
        if (changes.size().isPresent()) {
            resize(file, changes.size().getAsLong());
        }
        if (file.tree().reader().keepsOwners()) {
            if (changes.uid().isPresent()) {
                set(file, "unix:uid", changes.uid().getAsInt());
            }
            if (changes.gid().isPresent()) {
                set(file, "unix:gid", changes.gid().getAsInt());
            }
        }
        // The permissions of a symbolic link mean nothing and cannot be changed.
        if (changes.mode().isPresent() && file.file().type() != FileType.SYMBOLIC_LINK) {
            setMode(file, changes.mode().getAsInt() & PERMISSION_MASK);
        }
        var accessed = time(changes.accessed());
        var modified = time(changes.modified());
        if (accessed != null || modified != null) {
            Files.getFileAttributeView(
                            file.path(), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(modified, accessed, null);
        }
    }

    /** Sets as much of the mode as the file system keeps. */
    private static void setMode(Located file, int mode) throws IOException {
        if (file.tree().reader().keepsOwners()) {
            set(file, "unix:mode", mode);
        } else if (file.tree().reader().keepsPermissions()) {
            var granted = EnumSet.noneOf(PosixFilePermission.class);
            for (var permission : PosixFilePermission.values()) {
                // They are declared from the highest bit, that of the owner's reading, down.
                if ((mode >>> (OTHERS_EXECUTE - permission.ordinal()) & 1) != 0) {
                    granted.add(permission);
                }
            }
            Files.getFileAttributeView(
                            file.path(), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(granted);
        }
    }

    private static void set(Located file, String attribute, int value) throws IOException {
        Files.setAttribute(file.path(), attribute, value, LinkOption.NOFOLLOW_LINKS);
    }

    private static FileTime time(TimeChange change) {
        return switch (change) {
            case TimeChange.Keep() -> null;
            case TimeChange.ToServerTime() -> FileTime.from(Instant.now());
            case TimeChange.To(var time) -> FileTime.from(time.instant());
        };
    }

    private void resize(Located file, long size) throws IOException, Refusal {
        if (file.attributes().isDirectory()) {
            throw new Refusal(Status.ISDIR);
        }
        if (file.file().type() != FileType.REGULAR) {
            throw new Refusal(Status.INVAL);
        }
        if (size < 0) {
            throw new Refusal(Status.FBIG);
        }
        try (var use = openFiles.open(file, true)) {
            var channel = use.channel();
            long now = channel.size();
            if (size < now) {
                channel.truncate(size);
            } else if (size > now) {
                // A file grows by its last octet; what lies between is a hole.
                channel.write(ByteBuffer.allocate(1), size - 1);
            }
        }
    }
}
