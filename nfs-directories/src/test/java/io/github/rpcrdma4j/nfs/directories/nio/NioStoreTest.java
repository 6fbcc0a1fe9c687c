package io.github.rpcrdma4j.nfs.directories.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.StoreUser;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the properties that only this kind of store has. */
class NioStoreTest extends StoreUser<TestDirectory> {
    private static final int DEEP = 20_000;
    private static final int DEEP_TO_WALK = 2_000;

    @TempDir private Path local;

    @Override
    protected TestDirectory makePlace() throws IOException {
        return TestDirectory.of(TestDirectory.Kind.BASIC);
    }

    @Override
    protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
        return NioStore.open(place.root(), 1, verifier);
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of();
    }

    private static boolean isRoot() {
        return ProcessCredential.read() instanceof Credential.Sys own && own.uid() == 0;
    }

    @Test
    void servesNoFilesOfTheSystemAsRoot() {
        assumeTrue(isRoot(), "only root could act for others");
        var refused = assertThrows(IOException.class, () -> NioStore.open(local, 1, verifier));
        assertTrue(
                refused.getMessage().startsWith("a server that runs as root would"),
                refused::getMessage);
        // These tests are on the class path, where the module has no name.
        assertTrue(
                refused.getMessage().endsWith("--enable-native-access=ALL-UNNAMED"),
                refused::getMessage);
    }

    @Test
    void servesOnlyDirectories() throws Exception {
        var file = Files.createFile(place.root().resolve("file"));
        assertThrows(NotDirectoryException.class, () -> NioStore.open(file, 1, verifier));
        assertThrows(
                IOException.class,
                () -> NioStore.open(place.root().resolve("nothing"), 1, verifier));
    }

    private interface Call {
        void run(NioStore store, Runnable step) throws StoreException;
    }

    private static final List<Call> USERS_OF_PATHS =
            List.of(
                    (store, step) -> store.at(root(store), _ -> nothing(step)),
                    (store, step) -> store.change(root(store), Storage.SYNC, _ -> nothing(step)),
                    (store, step) ->
                            store.change(
                                    root(store), root(store), Storage.SYNC, _ -> nothing(step)));

    private static final List<Call> REMOVERS_OF_NAMES =
            List.of(
                    (store, step) ->
                            store.changePaths(root(store), Storage.SYNC, _ -> nothing(step)),
                    (store, step) ->
                            store.changePaths(
                                    root(store), root(store), Storage.SYNC, _ -> nothing(step)));

    private static NioNode root(NioStore store) throws StoreException {
        return (NioNode) store.node(store.root(), Mounts.STAY);
    }

    private static Void nothing(Runnable step) {
        step.run();
        return null;
    }

    /** Returns whether the second call waits for the end of the first. */
    private boolean waits(Call first, Call second, NioStore other) throws Exception {
        var ran = new AtomicBoolean();
        var ranMeanwhile = new AtomicBoolean();
        var thread = new AtomicReference<Thread>();
        first.run(
                (NioStore) store,
                () -> {
                    thread.set(Thread.ofPlatform().unstarted(() -> run(second, other, ran)));
                    thread.get().start();
                    Eventually.await(
                            () ->
                                    !thread.get().isAlive()
                                            || thread.get().getState() == Thread.State.WAITING);
                    ranMeanwhile.set(ran.get());
                });
        thread.get().join();
        assertTrue(ran.get());
        return !ranMeanwhile.get();
    }

    private static void run(Call call, NioStore store, AtomicBoolean ran) {
        try {
            call.run(store, () -> ran.set(true));
        } catch (StoreException broken) {
            throw new AssertionError(broken);
        }
    }

    /** Goal: no name is removed while a path is used, not even through an export inside another. */
    @Test
    void callsThatRemoveNamesHoldAllPathsExclusively() throws Exception {
        makeDirectory(root(), "directory");
        try (var inner = NioStore.open(place.root().resolve("directory"), 2, verifier)) {
            for (var other : List.of((NioStore) store, inner)) {
                for (var remover : REMOVERS_OF_NAMES) {
                    for (var user : USERS_OF_PATHS) {
                        assertTrue(waits(user, remover, other));
                        assertTrue(waits(remover, user, other));
                        assertFalse(waits(user, USERS_OF_PATHS.getFirst(), other));
                    }
                    assertTrue(waits(remover, REMOVERS_OF_NAMES.getFirst(), other));
                }
            }
        }
    }

    /** Makes nested directories, and returns a file at their end. */
    private FileId grow(int depth) throws StoreException {
        var deepest = makeDirectory(root(), "top");
        for (int i = 1; i < depth; i++) {
            var next = makeDirectory(root(), "next");
            rename(root(), "top", next, "d");
            rename(root(), "next", root(), "top");
        }
        return create(deepest, "file");
    }

    @Test
    void findsFilesAtAnyDepth() throws Exception {
        var file = grow(DEEP);
        write(file, 0, "hello");
        assertEquals("hello", read(file, 0, 9));
    }

    @Test
    void findsDeepFilesAfterAStart() throws Exception {
        var file = grow(DEEP_TO_WALK);
        reopen();
        assertEquals(0, status(file).size());
    }

    @Test
    void aFullFileSystemLosesNothingThatWasWrittenBefore() throws Exception {
        try (var small = TestDirectory.small(1 << 20);
                var full = NioStore.open(small.root(), 1, verifier)) {
            store.close();
            store = full;
            var file = create(root(), "file");
            write(file, 0, "x");
            long before = verifier.now();
            var piece = "x".repeat(1 << 20);
            var failure = assertThrows(StoreException.class, () -> write(file, 1, piece));
            assertEquals(Failure.NOSPC, failure.failure());
            assertEquals(before, verifier.now());
            assertEquals(before, at(file, n -> n.commit(caller(), Storage.SYNC)).value());
            assertEquals("x", read(file, 0, 1));
        }
    }

    /**
     * Goal: a CREATE that truncates a file counts as a change for a concurrent WRITE. Method: a
     * change in progress.
     */
    @Test
    void aFileThatIsCutByItsCreationIsChanged() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        var there = Inode.of(file).orElseThrow();
        try (var write = ((NioStore) store).concurrentChanges().begin(there)) {
            create(root(), name("file"), new Creation.Unchecked(NONE));
            assertTrue(write.isAlone());
            create(root(), name("file"), new Creation.Unchecked(ofSize(0)));
            assertFalse(write.isAlone());
        }
        assertEquals(0, ((NioStore) store).concurrentChanges().files());
    }

    @Test
    void linksNoFilesAcrossTwoFileSystemsThatAreMountedBelow() throws Exception {
        linkAcross("mount -t tmpfs none $0/one && mount -t tmpfs none $0/two");
    }

    @Test
    void linksNoFilesAcrossTwoMountsOfOneFileSystem() throws Exception {
        Files.createDirectory(local.resolve("source"));
        linkAcross("mount --bind $0/source $0/two");
    }

    /**
     * Runs {@link LinkAcross} with mounts, as another user than root. It needs no rights outside
     * its own namespaces.
     *
     * @param mount a shell command that mounts below the directory {@code $0}
     */
    private void linkAcross(String mount) throws Exception {
        for (var name : List.of("one", "two")) {
            Files.createDirectory(local.resolve(name));
        }
        var prefix =
                new ArrayList<>(
                        List.of(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--mount",
                                "--propagation",
                                "private",
                                "sh",
                                "-c",
                                mount
                                        + " && exec unshare --user --map-user=1000"
                                        + " --map-group=1000 \"$@\""));
        prefix.add(local.toString());
        var trial = new ArrayList<>(prefix);
        trial.add("true");
        ChildProcess.assumeWorks(
                "file systems cannot be mounted here", trial.toArray(String[]::new));
        ChildProcess.run(prefix, LinkAcross.class, local.toString());
    }

    /** Links a file within a directory, and then to a directory in another mount. */
    static final class LinkAcross {
        private LinkAcross() {}

        public static void main(String[] arguments) throws Exception {
            var root = Path.of(arguments[0]);
            Files.createFile(root.resolve("one/file"));
            try (var store = NioStore.open(root, 1, new WriteVerifier());
                    var top = store.node(store.root(), Mounts.CROSS);
                    var one = child(store, top, "one");
                    var two = child(store, top, "two");
                    var file = child(store, one, "file")) {
                var caller = new Caller.User(0, 0);
                one.link(caller, file, name("link"), Storage.SYNC);
                var refused =
                        assertThrows(
                                StoreException.class,
                                () -> two.link(caller, file, name("link"), Storage.SYNC));
                assertEquals(Failure.XDEV, refused.failure());
            }
        }

        private static Node child(FileStore store, Node directory, String name)
                throws StoreException {
            var found = directory.lookup(new Caller.User(0, 0), name(name));
            return store.node(found.id(), Mounts.CROSS);
        }
    }

    /** Java would open a FIFO to set its times, and wait forever for a writer. */
    @Test
    void waitsForNoWriterOfAFifo() throws Exception {
        assumeFalse(isRoot(), "root is not served");
        var fifo = local.resolve("fifo");
        try {
            assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        } catch (IOException none) {
            assumeTrue(false, "there is no mkfifo");
        }
        try (var here = NioStore.open(local, 1, verifier)) {
            store.close();
            store = here;
            var file = lookup(root(), "fifo").id();
            assertTimeoutPreemptively(
                    Duration.ofSeconds(30),
                    () -> {
                        var times = ofTimes(new TimeChange.Now(), new TimeChange.Now());
                        assertEquals(
                                Failure.NOTSUPP,
                                assertThrows(StoreException.class, () -> change(file, times))
                                        .failure());
                        change(file, ofMode(0600));
                        assertEquals(
                                Failure.INVAL,
                                assertThrows(StoreException.class, () -> read(file, 0, 1))
                                        .failure());
                    });
        }
    }
}
