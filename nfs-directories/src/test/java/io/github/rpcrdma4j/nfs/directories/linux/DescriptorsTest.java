package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
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
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no call fails because there are far fewer descriptors than files and threads. Method:
 * limits of two descriptors for files and two for data.
 */
@Timeout(120)
class DescriptorsTest {
    private static final int DESCRIPTORS = 2;
    private static final int THREADS = 6;
    private static final int FILES = 8;
    private static final int TURNS = 600;
    private static final int MARK_MASK = 0xe0;
    private static final int BYTES_MAX = 20_000;
    private static final String FILE = "a-file-of-this-test-";
    private static final String PROGRAM = "#!/bin/sh\nexit 0\n";

    /** A descriptor for writing is closed by a COMMIT, or a second after its last use. */
    private static final int RUNS_SECONDS = 4;

    private static final Caller SERVER = new Caller.Server();

    @TempDir Path directory;
    private final WriteVerifier verifier = new WriteVerifier();
    private LinuxStores stores;
    private FileStore store;

    /** The files of all threads, with the marks of their bytes, for other threads to check. */
    private final Map<FileId, Integer> all = new ConcurrentHashMap<>();

    @BeforeEach
    void make() throws IOException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        if (Identity.ofProcess().mayAct()) {
            Files.setAttribute(directory, "unix:mode", 0777);
        }
    }

    private static AttributeChanges changes(OptionalInt mode, OptionalLong size) {
        var none = AttributeChanges.NONE;
        return new AttributeChanges(
                mode, none.uid(), none.gid(), size, none.accessed(), none.modified());
    }

    private static List<String> openDescriptors() throws IOException {
        var targets = new ArrayList<String>();
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            for (var each : all.toList()) {
                try {
                    targets.add(Files.readSymbolicLink(each).toString());
                } catch (NoSuchFileException closed) {
                    // The descriptor of the listing itself, or one that was closed meanwhile.
                }
            }
        }
        return targets;
    }

    private interface Step<R> {
        R run(Node node) throws StoreException;
    }

    private <R> R at(FileId file, Step<R> step) throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            return step.run(node);
        }
    }

    /** A file with its expected content. */
    private static final class Expected {
        final FileId id;
        byte[] content = new byte[0];

        Expected(FileId id) {
            this.id = id;
        }
    }

    /** The work of one thread, mostly on its own files. */
    private final class User {
        private final int number;
        private final Random random;
        private final TreeMap<String, Expected> files = new TreeMap<>();
        private int names;

        User(long seed, int number) {
            this.number = number;
            this.random = new Random(seed + number);
        }

        /** Repeats a step while it finds all descriptors in use. */
        private <R> R patiently(FileId file, Step<R> step) throws StoreException {
            return Eventually.value(
                    () -> {
                        try {
                            return Optional.of(at(file, step));
                        } catch (StoreException failed) {
                            if (failed.failure() != Failure.AGAIN) {
                                throw failed;
                            }
                            return Optional.empty();
                        }
                    });
        }

        /** Returns the bits that all bytes of this thread have in common. */
        private int mark() {
            return number + 1 << 5;
        }

        private Caller caller() {
            return random.nextBoolean() ? SERVER : new Caller.User(4711, 4711);
        }

        private Storage storage() {
            return random.nextInt(8) == 0 ? Storage.SYNC : Storage.ASYNC;
        }

        private String freshName() {
            return FILE + number + "-" + names++;
        }

        private String anyName() {
            return List.copyOf(files.keySet()).get(random.nextInt(files.size()));
        }

        Void work() throws StoreException {
            for (int turn = 0; turn < TURNS; turn++) {
                if (files.size() < FILES) {
                    create();
                }
                var name = anyName();
                switch (random.nextInt(10)) {
                    case 0 -> remove(name);
                    case 1 -> rename(name);
                    case 2 -> cut(files.get(name));
                    case 3 -> commit(files.get(name));
                    case 4, 5, 6 -> write(files.get(name));
                    case 7 -> lookAtOthers();
                    default -> read(files.get(name));
                }
            }
            return null;
        }

        private void create() throws StoreException {
            var name = freshName();
            var how = new Creation.Guarded(changes(OptionalInt.of(0666), OptionalLong.empty()));
            var caller = caller();
            var storage = storage();
            var made =
                    patiently(
                            store.root(),
                            node -> node.create(caller, FileName.of(name), how, storage));
            var file = new Expected(made.value().made().orElseThrow().id());
            files.put(name, file);
            all.put(file.id, mark());
        }

        private void remove(String name) throws StoreException {
            var caller = caller();
            var storage = storage();
            all.remove(files.remove(name).id);
            patiently(store.root(), node -> node.remove(caller, FileName.of(name), storage));
        }

        private void rename(String name) throws StoreException {
            var newName = random.nextInt(4) == 0 ? anyName() : freshName();
            var caller = caller();
            var storage = storage();
            patiently(
                    store.root(),
                    node ->
                            patiently(
                                    store.root(),
                                    target ->
                                            node.rename(
                                                    caller,
                                                    FileName.of(name),
                                                    target,
                                                    FileName.of(newName),
                                                    storage)));
            var replaced = files.put(newName, files.get(name));
            if (!name.equals(newName)) {
                files.remove(name);
                if (replaced != null) {
                    all.remove(replaced.id);
                }
            }
        }

        private void cut(Expected file) throws StoreException {
            int size = random.nextInt(BYTES_MAX);
            var change = changes(OptionalInt.empty(), OptionalLong.of(size));
            var storage = storage();
            patiently(
                    file.id,
                    node ->
                            node.setAttributes(
                                    SERVER, Basis.RIGHTS, change, Optional.empty(), storage));
            file.content = Arrays.copyOf(file.content, size);
        }

        private void commit(Expected file) throws StoreException {
            long before = verifier.now();
            var committed = patiently(file.id, node -> node.commit(SERVER, Storage.SYNC));
            assertEquals(before, committed.value());
        }

        private void write(Expected file) throws StoreException {
            int offset = random.nextInt(BYTES_MAX / 2);
            var bytes = new byte[random.nextInt(BYTES_MAX / 2)];
            random.nextBytes(bytes);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (bytes[i] & ~MARK_MASK | mark());
            }
            var caller = caller();
            var stability = random.nextInt(8) == 0 ? Stability.FILE_SYNC : Stability.UNSTABLE;
            var written =
                    patiently(
                            file.id,
                            node ->
                                    node.write(
                                            caller,
                                            offset,
                                            MemorySegment.ofArray(bytes),
                                            stability,
                                            Storage.SYNC));
            assertEquals(bytes.length, written.value().bytes());
            if (bytes.length > 0) {
                int size = Math.max(file.content.length, offset + bytes.length);
                file.content = Arrays.copyOf(file.content, size);
                System.arraycopy(bytes, 0, file.content, offset, bytes.length);
            }
        }

        private void read(Expected file) throws StoreException {
            int offset = random.nextInt(file.content.length + 1);
            int bytes = 1 + random.nextInt(BYTES_MAX);
            var caller = caller();
            try (var arena = Arena.ofShared()) {
                var target = arena.allocate(bytes);
                var read = patiently(file.id, node -> node.read(caller, offset, target));
                int end = Math.min(file.content.length, offset + bytes);
                assertArrayEquals(
                        Arrays.copyOfRange(file.content, offset, end),
                        target.asSlice(0, read.bytes()).toArray(ValueLayout.JAVA_BYTE));
            }
        }

        /**
         * Checks that files of other threads, if they still exist, contain only bytes of their own
         * threads.
         */
        private void lookAtOthers() {
            for (var each : all.entrySet()) {
                if (random.nextInt(4) == 0) {
                    lookAt(each.getKey(), each.getValue());
                }
            }
        }

        private void lookAt(FileId file, int mark) {
            var caller = caller();
            try (var arena = Arena.ofShared()) {
                var target = arena.allocate(512);
                var read = at(file, node -> node.read(caller, 0, target));
                for (byte each : target.asSlice(0, read.bytes()).toArray(ValueLayout.JAVA_BYTE)) {
                    assertTrue(each == 0 || (each & MARK_MASK) == mark, "bytes of another file");
                }
            } catch (StoreException gone) {
                var mayBe = EnumSet.of(Failure.STALE, Failure.AGAIN);
                assertTrue(mayBe.contains(gone.failure()), gone::toString);
            }
        }
    }

    /** Runs threads on the store, and checks the files afterwards. */
    private void use(long seed, int threads) throws Exception {
        stores = new LinuxStores(DESCRIPTORS, DESCRIPTORS, DESCRIPTORS, DataFiles.Force.KERNEL);
        store = stores.open(directory, false, 1, verifier);
        var users = new ArrayList<User>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Void>> ends = new ArrayList<>();
            for (int number = 0; number < threads; number++) {
                var user = new User(seed, number);
                users.add(user);
                ends.add(executor.submit(user::work));
            }
            for (var end : ends) {
                end.get(100, TimeUnit.SECONDS);
            }
        } finally {
            assertTrue(stores.nodes().size() <= DESCRIPTORS + threads, "nodes are kept");
            assertTrue(stores.data().size() <= 2 * DESCRIPTORS + threads, "data is kept");
            store.close();
        }
        requireContents(users);
    }

    private void requireContents(List<User> users) throws IOException {
        var expected = new TreeMap<String, Expected>();
        users.forEach(user -> expected.putAll(user.files));
        try (var found = Files.list(directory)) {
            assertEquals(
                    List.copyOf(expected.keySet()),
                    found.map(each -> each.getFileName().toString()).sorted().toList());
        }
        for (var each : expected.entrySet()) {
            var path = directory.resolve(each.getKey());
            assertArrayEquals(
                    each.getValue().content, Files.readAllBytes(path), each.getKey() + " differs");
            Files.delete(path);
        }
    }

    @Test
    void areTakenFromEachOtherAndAllReleased() throws Exception {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("seed=" + seed);
        long verifierBefore = verifier.now();
        // The first calls open some descriptors permanently, which should not count.
        use(seed, 1);
        int before = awaitNoDescriptorOfAFile();
        use(seed, THREADS);
        int after = awaitNoDescriptorOfAFile();
        assertTrue(after <= before, () -> before + " descriptors were open, now " + after);
        assertEquals(verifierBefore, verifier.now(), "data counts as lost");
    }

    /**
     * Waits until threads of the store have closed all descriptors of files.
     *
     * @return the number of descriptors that are still open
     */
    private static int awaitNoDescriptorOfAFile() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (true) {
            var open = openDescriptors();
            var ofFiles = open.stream().filter(target -> target.contains(FILE)).toList();
            if (ofFiles.isEmpty()) {
                return open.size();
            }
            assertTrue(System.nanoTime() < deadline, ofFiles::toString);
        }
    }

    /**
     * Goal: a program can be run soon after it was written, since the kernel runs no file that is
     * open for writing.
     */
    @Test
    void doNotBlockAProgramThatWasJustWritten() throws Exception {
        var program = Files.writeString(directory.resolve("tried-first"), PROGRAM);
        Files.setAttribute(program, "unix:mode", 0755);
        assumeTrue(runs(program), "programs cannot be run there");
        stores = new LinuxStores(DESCRIPTORS, DESCRIPTORS, DESCRIPTORS, DataFiles.Force.KERNEL);
        store = stores.open(directory, false, 1, verifier);
        try {
            for (boolean isCommitted : List.of(true, false)) {
                var name = "committed-" + isCommitted;
                var id = create(name);
                at(id, node -> node.write(SERVER, 0, text(), Stability.UNSTABLE, Storage.SYNC));
                if (isCommitted) {
                    at(id, node -> node.commit(SERVER, Storage.SYNC));
                }
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(RUNS_SECONDS);
                while (!runs(directory.resolve(name))) {
                    assertTrue(System.nanoTime() < deadline, name + " is still open for writing");
                }
            }
        } finally {
            store.close();
        }
    }

    private FileId create(String name) throws StoreException {
        var how = new Creation.Guarded(changes(OptionalInt.of(0755), OptionalLong.empty()));
        return at(store.root(), node -> node.create(SERVER, FileName.of(name), how, Storage.SYNC))
                .value()
                .made()
                .orElseThrow()
                .id();
    }

    private static MemorySegment text() {
        return MemorySegment.ofArray(PROGRAM.getBytes());
    }

    private static boolean runs(Path program) throws InterruptedException {
        try {
            return new ProcessBuilder(program.toString()).start().waitFor() == 0;
        } catch (IOException busy) {
            return false;
        }
    }
}
