package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.unlock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: no call is lost, and no client of an export that stays meets an error, while others come
 * and go; what has gone leaves nothing open. Method: clients of versions 3 and 4 read, write and
 * lock files of an export that stays, whose rules change, and of three that come and go at random;
 * the seed is printed.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplacedExportsUnderLoadTest {
    private static final int REPLACEMENTS = 50;
    private static final String STAYS = "stays";
    private static final List<String> OTHERS = List.of("one", "two", "three");

    /** What a client of an export that may be gone may meet, and no more. */
    private static final Set<Nfs4Status> GONE =
            EnumSet.of(
                    Nfs4Status.STALE,
                    Nfs4Status.NOENT,
                    Nfs4Status.ADMIN_REVOKED,
                    Nfs4Status.BAD_STATEID,
                    Nfs4Status.DELAY);

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private Random random;
    private long descriptorsBefore;
    private volatile boolean isOver;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();

    @BeforeEach
    void serve() throws Exception {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("ReplacedExportsUnderLoadTest " + kind + ": -Dseed=" + seed);
        random = new Random(seed);
        testDirectory = TestDirectory.of(kind);
        for (var name : List.of(STAYS, "one", "two", "three")) {
            Files.createDirectory(testDirectory.root().resolve(name));
        }
        descriptorsBefore = descriptors();
        server = TestServer.of(List.of(export(STAYS)));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private Export export(String name) {
        var rule = ExportRule.trusting(false).withSync(random.nextBoolean());
        var root = testDirectory.root().resolve(name);
        return new Export("/" + name, root, List.of(rule), List.of(SecurityFlavor.SYS));
    }

    @Test
    void clientsOfWhatStaysMeetNoErrorWhileOthersComeAndGo() throws Exception {
        // Virtual threads that never block would keep all others from the processors.
        try (var clients = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var working = new ArrayList<Future<Void>>();
            for (var name : List.of(STAYS, "one", "two", "three")) {
                boolean stays = name.equals(STAYS);
                working.add(clients.submit(version3(name, stays)));
                working.add(clients.submit(version4(name, stays)));
                working.add(clients.submit(host(name, stays)));
            }
            working.add(clients.submit(listing()));
            try {
                for (int i = 0; i < REPLACEMENTS; i++) {
                    int target = calls.get() + 20;
                    Eventually.await(
                            () ->
                                    calls.get() >= target
                                            || working.stream().anyMatch(Future::isDone));
                    server.nfs.replaceExports(some());
                }
            } finally {
                isOver = true;
            }
            for (var each : working) {
                each.get();
            }
        }
        assertTrue(gone.get() > 0, "no client has met an export that was gone");
        server.nfs.replaceExports(List.of());
        var administration = server.nfs.administration();
        Eventually.await(
                () -> administration.opens(9).isEmpty() && administration.locks(9).isEmpty());
        Eventually.await(() -> descriptors() <= descriptorsBefore);
    }

    /** Returns the export that stays and some others, in any order. */
    private List<Export> some() {
        var exports = new ArrayList<>(List.of(export(STAYS)));
        for (var each : OTHERS) {
            if (random.nextBoolean()) {
                exports.add(random.nextInt(exports.size() + 1), export(each));
            }
        }
        return exports;
    }

    private Callable<Void> version3(String export, boolean stays) {
        return () -> {
            FileHandle file = null;
            for (long i = 0; !isOver; i++) {
                if (file == null) {
                    file = made(export, stays);
                    continue;
                }
                var text = "%08d".formatted(i);
                var written = server.status(TestServer.write(file, 0, Stability.UNSTABLE, text));
                var read = server.status(new Nfs3Call.Read(file, 0, 8));
                calls.addAndGet(2);
                for (var status : List.of(written, read)) {
                    if (status != Status.OK) {
                        // JUKEBOX: a store that has just come back looks for the file.
                        boolean isGone = status == Status.STALE || status == Status.JUKEBOX;
                        assertTrue(!stays && isGone, export + ": " + status);
                        gone.incrementAndGet();
                    }
                }
                // Handles are valid again when the export comes back.
                if (stays) {
                    assertEquals(text, server.read(file, 0, 8));
                }
            }
            return null;
        };
    }

    /** Returns the handle of a file; null if the export is not there. */
    private FileHandle made(String export, boolean stays) throws Exception {
        var path = testDirectory.root().resolve(export).resolve("file3");
        if (Files.notExists(path)) {
            Files.writeString(path, "");
        }
        try {
            return server.lookup(server.root("/" + export), "file3");
        } catch (AssertionError refused) {
            if (stays) {
                throw refused;
            }
            return null;
        }
    }

    private Callable<Void> host(String export, boolean stays) {
        return () -> {
            FileHandle file = null;
            while (!isOver) {
                if (file == null) {
                    file = made(export, stays);
                    continue;
                }
                var host = LockingHost.of(server, "127.0.0.1", file.bytes()).withName(export);
                var statuses = List.of(host.lock(true, 0, 10), host.unlock(0, 10));
                calls.addAndGet(2);
                if (stays) {
                    assertEquals(List.of(NlmStatus.GRANTED, NlmStatus.GRANTED), statuses);
                }
            }
            return null;
        };
    }

    private Callable<Void> version4(String export, boolean stays) {
        return () -> {
            var client = CompoundClient.of(server, export);
            while (!isOver) {
                if (!use(client, export, stays)) {
                    gone.incrementAndGet();
                }
            }
            return null;
        };
    }

    /** Opens, locks, writes, reads and closes a file. Returns false if its export has gone. */
    private boolean use(CompoundClient client, String export, boolean stays) throws Exception {
        var opened = done(client, stays, fromRoot(export, create("file4"), getFh()));
        if (opened.isEmpty()) {
            return false;
        }
        var file = new HandleArguments.PutFh(((HandleResult.GetFh) opened.getLast()).handle());
        var open = opened.stream().filter(StateResult.Open.class::isInstance).findFirst();
        var id = ((StateResult.Open) open.orElseThrow()).open();
        var locked = done(client, stays, file, lock(id, "us", LockType.WRITE, 0, 10));
        if (locked.isEmpty()) {
            forget(client, id);
            return false;
        }
        var lock = ((LockResult.Lock) locked.getLast()).lock();
        boolean isServed =
                !done(client, stays, file, write(id, 0, "text"), read(id, 0, 4)).isEmpty()
                        && !done(client, stays, file, unlock(lock, 0, 10)).isEmpty()
                        && !done(client, stays, file, close(id)).isEmpty();
        if (!isServed) {
            forget(client, lock);
            forget(client, id);
        }
        return isServed;
    }

    /** Does what a client does that has lost something; it may also have closed it. */
    private static void forget(CompoundClient client, StateId lost) throws Exception {
        client.status(new StateArguments.FreeStateId(lost));
    }

    /** Returns the results of a call; none if its export has gone. */
    private List<Result> done(CompoundClient client, boolean stays, Arguments... operations)
            throws Exception {
        var result = client.compound(operations);
        calls.incrementAndGet();
        if (result.status() == Nfs4Status.OK) {
            return result.results();
        }
        assertTrue(!stays && GONE.contains(result.status()), result.toString());
        return List.of();
    }

    private Callable<Void> listing() {
        return () -> {
            var client = CompoundClient.of(server, "listing");
            while (!isOver) {
                done(client, true, fromRoot("", readDir(0, 4000, Attribute.SIZE)));
            }
            return null;
        };
    }

    /** Returns how many descriptors of this process are of files of the exports. */
    private long descriptors() throws IOException {
        var root = testDirectory.root().toRealPath();
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> isBeneath(root, each)).count();
        }
    }

    private static boolean isBeneath(Path root, Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(root);
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }
}
