package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: where times of files have whole seconds, a right that was taken away ends at once. */
class CoarseTimesTest {
    private static final Caller OWNER = new Caller.User(1000, 1000);
    private static final Caller READER = new Caller.User(1001, 1001);
    private static final int IMAGE_BYTES = 8 << 20;
    private static final int HITS = 5;

    @TempDir Path directory;

    /** The mode stays the same, so only the change time can tell that the list has changed. */
    private static AttributeChanges listFor(int user) {
        var none = AttributeChanges.NONE;
        var list =
                new PosixAcl(
                        List.of(
                                new Entry(Tag.USER_OBJ, 6),
                                new Entry(Tag.USER, user, 4),
                                new Entry(Tag.GROUP_OBJ, 0),
                                new Entry(Tag.MASK, 4),
                                new Entry(Tag.OTHER, 0)));
        return new AttributeChanges(
                OptionalInt.empty(),
                none.umask(),
                none.uid(),
                none.gid(),
                OptionalLong.empty(),
                Optional.of(new Acls(list, Optional.empty())),
                none.accessed(),
                none.modified());
    }

    private static long allow(Node file, int user) throws StoreException {
        file.setAttributes(OWNER, Basis.RIGHTS, listFor(user), Optional.empty(), Storage.ASYNC);
        var changed = file.status().changed();
        assertEquals(0, changed.nanos(), "the times of this file system have whole seconds");
        return changed.seconds();
    }

    private static int read(Node file) throws StoreException {
        try (var arena = Arena.ofConfined()) {
            return file.read(READER, 0, arena.allocate(4)).bytes();
        }
    }

    @Test
    void aListThatChangesTwiceInASecondCountsAtOnce() throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(Identity.ofProcess().mayAct(), "this process may not act for others");
        var image = directory.resolve("image");
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        ChildProcess.assumeWorks(
                "mkfs.ext4 is missing", "mkfs.ext4", "-q", "-F", "-I", "128", image.toString());
        var mounted = Files.createDirectory(directory.resolve("mounted")).toString();
        ChildProcess.assumeWorks(
                "nothing can be mounted", "mount", "-o", "loop,acl", image.toString(), mounted);
        try (var store =
                LinuxStores.ofProcess().open(Path.of(mounted), false, 1, new WriteVerifier())) {
            var none = new Creation.Guarded(AttributeChanges.NONE);
            Files.setAttribute(Path.of(mounted), "unix:mode", 0777);
            FileName name = FileName.of("file");
            try (var root = store.node(store.root(), Mounts.STAY)) {
                var made = root.create(OWNER, name, none, Storage.ASYNC).value().made();
                try (var file = store.node(made.orElseThrow().id(), Mounts.STAY)) {
                    takeAway(file);
                }
            }
        } finally {
            ChildProcess.assumeWorks("it cannot be unmounted", "umount", mounted);
        }
    }

    private static void takeAway(Node file) throws StoreException {
        for (int hits = 0; hits < HITS; ) {
            long given = allow(file, 1001);
            for (int i = 0; i < 100; i++) {
                assertEquals(0, read(file));
            }
            hits += allow(file, 1002) == given ? 1 : 0;
            var refused = assertThrows(StoreException.class, () -> read(file));
            assertEquals(Failure.ACCES, refused.failure());
        }
    }
}
