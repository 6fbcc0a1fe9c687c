package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.UnixPaths;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the server stays correct while local processes change its files. */
class LocalProcessesTest {
    private static final int TRIES = 1000;
    private static final String FILE = "file-of-local-processes";
    private static final Path MEMORY = Path.of("/dev/shm");

    /** Commands and arguments of fcntl(2): F_SETSIG, and F_SETLEASE with F_WRLCK and F_UNLCK. */
    private static final int SET_SIGNAL = 10;

    private static final int SET_LEASE = 1024;
    private static final int WRITE_LEASE = 1;
    private static final int NO_LEASE = 2;

    /** SIGWINCH, which is ignored; the default signal would end the process. */
    private static final int HARMLESS_SIGNAL = 28;

    @TempDir Path directory;
    private FileStore store;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        open(directory);
    }

    private void open(Path root) throws IOException {
        Files.setAttribute(root, "unix:mode", 0777);
        close();
        store = LinuxStores.ofProcess().open(root, false, 1, new WriteVerifier());
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private static Caller user() {
        return new Caller.User(1000, 1000);
    }

    private static AttributeChanges mode(int mode) {
        var none = AttributeChanges.NONE;
        return new AttributeChanges(
                OptionalInt.of(mode),
                none.uid(),
                none.gid(),
                none.size(),
                none.accessed(),
                none.modified());
    }

    private FileId make(String name) throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            var how = new Creation.Guarded(mode(0644));
            var made = root.create(user(), FileName.of(name), how, Storage.ASYNC);
            return made.value().made().orElseThrow().id();
        }
    }

    private interface Step {
        void run(Node node) throws StoreException;
    }

    private void at(FileId file, Step step) throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            step.run(node);
        }
    }

    private void write(FileId file) throws StoreException {
        var data = MemorySegment.ofArray(new byte[10]);
        at(file, node -> node.write(user(), 0, data, Stability.UNSTABLE, Storage.SYNC));
    }

    @SuppressWarnings("restricted")
    private static int fcntl(int descriptor, int command, long argument) {
        var linker = Linker.nativeLinker();
        var fcntl =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("fcntl"),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG),
                        Linker.Option.firstVariadicArg(2));
        try {
            return (int) fcntl.invokeExact(descriptor, command, argument);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Opens a file by its path, for a lease. */
    private static int openByPath(Scratch scratch, Path file) {
        long path = scratch.text(Scratch.TEXT, UnixPaths.bytes(file));
        return Kernel.openat(scratch, Kernel.AT_FDCWD, path, Kernel.O_RDONLY, 0);
    }

    @Test
    void changesThatAreDoneAreAnsweredSoWhileAnotherHasALease() throws Exception {
        var file = make(FILE);
        store.close();
        open(directory);
        var scratch = new Scratch();
        int descriptor = openByPath(scratch, directory.resolve(FILE));
        try {
            fcntl(descriptor, SET_SIGNAL, HARMLESS_SIGNAL);
            assumeTrue(fcntl(descriptor, SET_LEASE, WRITE_LEASE) == 0, "there are no leases here");
            at(
                    file,
                    node ->
                            node.setAttributes(
                                    user(),
                                    Basis.RIGHTS,
                                    mode(0600),
                                    Optional.empty(),
                                    Storage.SYNC));
            at(file, node -> assertEquals(0600, node.status().mode()));
            try (var root = store.node(store.root(), Mounts.STAY);
                    var node = store.node(file, Mounts.STAY)) {
                root.link(user(), node, FileName.of("other"), Storage.SYNC);
            }
            // Its data cannot be accessed while the lease is held.
            var failure = assertThrows(StoreException.class, () -> write(file));
            assertEquals(Failure.AGAIN, failure.failure());
        } finally {
            fcntl(descriptor, SET_LEASE, NO_LEASE);
            Kernel.close(scratch, descriptor);
        }
    }

    @Test
    void ownersDoNotWriteWhatWasMadeImmutable() throws Exception {
        requireImmutable(directory);
        assumeTrue(Files.isDirectory(MEMORY), "there is no file system in memory");
        var inMemory = Files.createTempDirectory(MEMORY, "nfs-server");
        try {
            requireImmutable(inMemory);
        } finally {
            Files.delete(inMemory);
        }
    }

    private void requireImmutable(Path root) throws Exception {
        open(root);
        var file = make(FILE);
        write(file);
        var path = root.resolve(FILE);
        try {
            ChildProcess.assumeWorks("attributes cannot be set", "chattr", "+i", path.toString());
            var failure = assertThrows(StoreException.class, () -> write(file));
            assertEquals(Failure.PERM, failure.failure());
        } finally {
            ChildProcess.assumeWorks("attributes cannot be set", "chattr", "-i", path.toString());
            Files.delete(path);
        }
    }

    /** Goal: a file that is removed between two system calls leaves no open descriptor. */
    @Test
    void filesThatAreRemovedWhileTheyAreMadeLeaveNoDescriptor() throws Exception {
        var path = directory.resolve(FILE);
        var ended = new AtomicBoolean();
        var remover =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!ended.get()) {
                                        path.toFile().delete();
                                    }
                                });
        try {
            for (int i = 0; i < TRIES; i++) {
                tryToMake(i);
            }
        } finally {
            ended.set(true);
            remover.join();
        }
        store.close();
        store = null;
        assertEquals(List.of(), removedButOpen());
    }

    private void tryToMake(int number) throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            if (number % 2 == 0) {
                var how = new Creation.Exclusive(number);
                root.create(user(), FileName.of(FILE), how, Storage.ASYNC);
            } else {
                root.makeDirectory(user(), FileName.of(FILE), mode(0755), Storage.ASYNC);
            }
        } catch (StoreException raced) {
            // The file was removed meanwhile, or exists already.
        }
    }

    /** Returns the files of this test; other tests may still close theirs. */
    private static List<String> removedButOpen() throws IOException {
        var open = new ArrayList<String>();
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            for (var each : all.toList()) {
                try {
                    var target = Files.readSymbolicLink(each).toString();
                    // The root may be a mount of its own, so the path has no more than the name.
                    if (target.endsWith("/" + FILE + " (deleted)")) {
                        open.add(target);
                    }
                } catch (NoSuchFileException closed) {
                    // The descriptor of the listing itself.
                }
            }
        }
        return open;
    }
}
