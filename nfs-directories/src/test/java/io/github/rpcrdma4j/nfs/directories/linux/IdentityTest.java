package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: only threads of a store ever have the identity of a caller. */
class IdentityTest {
    private static final int CALLERS = 8;
    private static final int CALLS = 200;
    private static final long SYS_RESOURCE = 1 << 24;
    private static final List<String> KEPT =
            List.of("Uid:", "Gid:", "Groups:", "CapEff:", "Umask:");

    private static final Path THREAD_STATUS = Path.of("/proc/thread-self/status");

    /** SETGID and SETUID of capabilities(7). */
    private static final long TO_SWITCH = 0xc0;

    private static final long OF_FILES = TO_SWITCH | 0x1800001f;

    @TempDir Path directory;
    private FileStore store;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(Identity.ofProcess().mayAct(), "this process may not act for others");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        store = LinuxStores.ofProcess().open(directory, false, 1, new WriteVerifier());
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    /** Returns the identity of each thread outside stores, as the kernel reports it. */
    private static Map<String, String> identities() throws IOException {
        var all = new TreeMap<String, String>();
        for (var lines : statuses()) {
            var name = lines.getFirst();
            if (!isOfStore(name)) {
                all.put(
                        name + " " + all.size(),
                        lines.stream()
                                .filter(line -> KEPT.stream().anyMatch(line::startsWith))
                                .collect(Collectors.joining(" ")));
            }
        }
        return all;
    }

    /** Returns the lines of the status of each thread of this process. */
    private static List<List<String>> statuses() throws IOException {
        var all = new ArrayList<List<String>>();
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            for (var task : tasks.toList()) {
                try {
                    all.add(Files.readAllLines(task.resolve("status")));
                } catch (IOException ended) {
                    // The thread has ended.
                }
            }
        }
        return all;
    }

    /**
     * Returns whether a thread may assume an identity. The kernel keeps 15 characters of its name.
     */
    private static boolean isOfStore(String name) {
        return name.startsWith("Name:\tnfs-files-") && !name.matches(".*-(wake|idle|watch)");
    }

    private static void requireOwnIdentity(String expected) throws IOException {
        identities().forEach((thread, identity) -> assertEquals(expected, identity, thread));
    }

    private static String ownIdentity() {
        return statusOfThisThread().stream()
                .filter(line -> KEPT.stream().anyMatch(line::startsWith))
                .collect(Collectors.joining(" "));
    }

    private static AttributeChanges mode(int mode) {
        return new AttributeChanges(
                OptionalInt.of(mode),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalLong.empty(),
                new AttributeChanges.TimeChange.Keep(),
                new AttributeChanges.TimeChange.Keep());
    }

    private static Caller.User caller(int number) {
        int[] groups = new int[number % 4];
        Arrays.setAll(groups, i -> 3000 + number + i);
        return new Caller.User(1000 + number, 2000 + number, groups);
    }

    /** Makes, writes, reads and removes files as one of many callers. */
    private void call(Random random, int thread, int turn) throws Exception {
        var caller = caller(random.nextInt(CALLERS));
        var name = FileName.of(thread + "-" + turn);
        try (var root = store.node(store.root(), Mounts.STAY)) {
            var made = root.create(caller, name, new Creation.Guarded(mode(0666)), Storage.ASYNC);
            var entry = made.value().made().orElseThrow();
            assertEquals(caller.uid(), entry.status().uid());
            assertEquals(caller.gid(), entry.status().gid());
            assertEquals(0666, entry.status().mode());
            try (var file = store.node(entry.id(), Mounts.STAY)) {
                var data = MemorySegment.ofArray(new byte[100]);
                file.write(caller, 0, data, Stability.UNSTABLE, Storage.ASYNC);
                assertEquals(Node.READ | Node.WRITE, file.access(caller, 7));
            }
            root.remove(caller, name, Storage.ASYNC);
        }
    }

    @Test
    void leavesNoThreadAndNoCarrierWithAForeignIdentity() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var own = ownIdentity();
        var failures = new ArrayList<Throwable>();
        var started = new CountDownLatch(CALLERS);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < CALLERS; i++) {
            int number = i;
            var random = new Random(seed + i);
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            started.countDown();
                                            started.await();
                                            for (int turn = 0; turn < CALLS; turn++) {
                                                var other = Thread.startVirtualThread(() -> {});
                                                call(random, number, turn);
                                                other.join();
                                                if (turn % 20 == 0) {
                                                    requireOwnIdentity(own);
                                                }
                                            }
                                        } catch (Throwable failure) {
                                            synchronized (failures) {
                                                failures.add(failure);
                                            }
                                        }
                                    }));
        }
        for (var thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failures);
        requireOwnIdentity(own);
    }

    /**
     * Goal: platform threads, which run operations themselves, have their own identity after each
     * one. Threads that they start or unpark have it too.
     */
    @Test
    void leavesPlatformThreadsAsTheyWereAfterEachCall() throws Exception {
        var own = ownIdentity();
        try (var threads = Executors.newFixedThreadPool(CALLERS)) {
            var ends = new ArrayList<Future<Void>>();
            for (int i = 0; i < CALLERS; i++) {
                int number = i;
                ends.add(
                        threads.submit(
                                () -> {
                                    callAndCheck(number, own);
                                    return null;
                                }));
            }
            for (var end : ends) {
                end.get();
            }
        }
        requireOwnIdentity(own);
    }

    private void callAndCheck(int number, String own) throws Exception {
        var random = new Random(number);
        var seen = new AtomicReference<String>();
        for (int turn = 0; turn < CALLS; turn++) {
            call(random, number, turn);
            assertEquals(own, ownIdentity());
            Thread.ofVirtual().start(() -> seen.set(ownIdentity())).join();
            assertEquals(own, seen.get());
        }
    }

    @Test
    void takesFromAPlatformThreadForASectionWhatTheCallerDoesNotHave() throws Exception {
        var identity = Identity.ofProcess();
        var scratch = new Scratch();
        var own = ownIdentity();
        var root = new Caller.User(0, 0);
        for (var caller : List.of(root, caller(3))) {
            assertEquals(0, identity.keepCapabilities(scratch));
            boolean assumed = identity.assume(scratch, caller, false);
            var there = capabilities("CapEff:", statusOfThisThread());
            identity.restore(scratch, false);
            assertTrue(assumed);
            long expected = caller == root ? OF_FILES | SYS_RESOURCE : TO_SWITCH;
            assertEquals(0, there & ~expected, () -> hex(there));
            assertEquals(own, ownIdentity());
        }
    }

    private static String hex(long capabilities) {
        return Long.toHexString(capabilities);
    }

    @Test
    void givesEveryFileTheModeThatWasAskedForWhateverTheUmask() throws Exception {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            for (int mode : new int[] {0, 0777, 0666, 0602, 01777, 04755}) {
                var name = FileName.of("file-" + mode);
                var made =
                        root.create(
                                caller(1), name, new Creation.Guarded(mode(mode)), Storage.ASYNC);
                assertEquals(mode, made.value().made().orElseThrow().status().mode());
            }
        }
    }

    @Test
    void takesMoreGroupsThanAnyCredentialOfAuthSysHas() throws Exception {
        int[] groups = new int[200];
        Arrays.setAll(groups, i -> 5000 + i);
        var shared = Files.createDirectory(directory.resolve("shared"));
        Files.setAttribute(shared, "unix:gid", 5199);
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwx---"));
        try (var root = store.node(store.root(), Mounts.STAY)) {
            var id = root.lookup(caller(1), FileName.of("shared")).id();
            try (var inner = store.node(id, Mounts.STAY)) {
                assertEquals(0, inner.access(caller(1), 7));
                assertEquals(7, inner.access(new Caller.User(1000, 1000, groups), 7));
            }
        }
    }

    @Test
    void hasFileThreadsWithoutCapabilitiesThatFilesDoNotNeed() throws Exception {
        call(new Random(1), 0, 0);
        int seen = 0;
        for (var lines : statuses()) {
            if (isOfStore(lines.getFirst())) {
                seen++;
                var permitted = capabilities("CapPrm:", lines);
                assertEquals(0, permitted & ~(OF_FILES | SYS_RESOURCE), hex(permitted));
                assertNotEquals(0, permitted);
                assertEquals(0, capabilities("CapEff:", lines) & SYS_RESOURCE);
            }
        }
        assertTrue(seen > 0, "no thread of a store was seen");
    }

    @Test
    void letsRootAlonePassQuotas() throws Exception {
        long own = capabilities("CapEff:", statusOfThisThread());
        assumeTrue((own & SYS_RESOURCE) != 0, "this process has no CAP_SYS_RESOURCE");
        var identity = Identity.ofProcess();
        var seen = new ArrayList<Boolean>();
        var thread =
                Thread.ofPlatform()
                        .name("nfs-files-test")
                        .start(
                                () -> {
                                    var scratch = new Scratch();
                                    identity.restrict(scratch);
                                    for (int uid : new int[] {0, 1000, 0}) {
                                        identity.assume(scratch, new Caller.User(uid, uid), true);
                                        seen.add(passesQuotas());
                                        identity.restore(scratch, true);
                                        seen.add(passesQuotas());
                                    }
                                });
        thread.join();
        assertEquals(List.of(true, false, false, false, true, false), seen);
    }

    private static boolean passesQuotas() {
        return (capabilities("CapEff:", statusOfThisThread()) & SYS_RESOURCE) != 0;
    }

    private static List<String> statusOfThisThread() {
        try {
            return Files.readAllLines(THREAD_STATUS);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static long capabilities(String set, List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith(set))
                .map(line -> Long.parseLong(line.substring(set.length()).trim(), 16))
                .findFirst()
                .orElseThrow();
    }
}
