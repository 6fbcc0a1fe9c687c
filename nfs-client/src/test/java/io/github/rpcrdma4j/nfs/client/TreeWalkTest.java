package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.TreeWalk.Visit;
import io.github.rpcrdma4j.nfs.client.TreeWalk.Visitor;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a walk has the order of the names, lists several directories at a time, and ends. Method: a
 * scripted server, whose handles are the paths of its files.
 */
@Timeout(60)
class TreeWalkTest {
    private static final int FILES_MAX = 4;
    private static final long WAIT_SECONDS = 30;

    /**
     * The paths below the top, in the order of their names; those of directories end in a slash.
     */
    private final TreeMap<String, FileType> files = new TreeMap<>();

    private final List<String> visits = new ArrayList<>();

    /** Runs before the reply to a listing of a directory. */
    private UnaryOperator<String> listing = UnaryOperator.identity();

    private static String path(FileHandle handle) {
        return handle.equals(ScriptedServer.ROOT)
                ? ""
                : new String(handle.bytes(), StandardCharsets.US_ASCII);
    }

    private Nfs3Reply<?, ?> reply(Nfs3Call<?, ?> call) {
        if (call instanceof Nfs3Call.GetAttributes) {
            return new Nfs3Reply.Ok<>(
                    Nothing.NOTHING, ScriptedServer.attributes(FileType.DIRECTORY));
        }
        var directory = listing.apply(path(((Nfs3Call.ReadDirectoryPlus) call).directory()));
        if (directory == null) {
            return new Nfs3Reply.Failed<>(Status.ACCES, Optional.<FileAttributes>empty());
        }
        var entries = new ArrayList<DirectoryPage.Entry>();
        // The server lists backwards, so that the walk has to sort.
        for (Map.Entry<String, FileType> each : files.descendingMap().entrySet()) {
            var path = each.getKey();
            boolean isChild =
                    path.startsWith(directory)
                            && path.length() > directory.length()
                            && !path.substring(directory.length(), path.length() - 1).contains("/");
            if (isChild) {
                entries.add(
                        new DirectoryPage.Entry(
                                1,
                                FileName.of(path.substring(directory.length()).replace("/", "")),
                                entries.size() + 1,
                                Optional.of(ScriptedServer.attributes(each.getValue())),
                                Optional.of(
                                        new FileHandle(path.getBytes(StandardCharsets.US_ASCII)))));
            }
        }
        return new Nfs3Reply.Ok<>(
                Optional.<FileAttributes>empty(), new DirectoryPage(0, entries, true));
    }

    private class Recorder implements Visitor {
        @Override
        public void visit(Visit file) {
            visits.add(file.shown() + "@" + file.depth());
        }

        @Override
        public void listed(Visit directory, List<NamedFile> entries) {
            visits.add(entries.size() + " in " + directory.shown());
        }

        @Override
        public void left(Visit directory) {
            visits.add("left " + directory.shown());
        }

        @Override
        public void failed(Visit directory, IOException why) {
            visits.add(why.getMessage());
        }
    }

    private void walk(Visitor visitor) throws Exception {
        var options =
                new ClientOptions(
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3).timeout(),
                        Duration.ZERO,
                        1,
                        FILES_MAX);
        try (var mount = NfsMount.of(ScriptedServer.service(options, this::reply), "/data")) {
            TreeWalk.walk(mount, options, mount.resolve("/data"), PathName.of("/data"), visitor);
        }
    }

    private void tree(String... paths) {
        for (var path : paths) {
            files.put(path, path.endsWith("/") ? FileType.DIRECTORY : FileType.REGULAR);
        }
    }

    @Test
    void visitsDirectoriesBeforeTheirEntriesInOrder() throws Exception {
        tree("b/", "b/y", "b/x/", "a", "c");
        walk(new Recorder());
        assertEquals(
                List.of(
                        "/data@0",
                        "3 in /data",
                        "/data/a@1",
                        "/data/b@1",
                        "2 in /data/b",
                        "/data/b/x@2",
                        "0 in /data/b/x",
                        "left /data/b/x",
                        "/data/b/y@2",
                        "left /data/b",
                        "/data/c@1",
                        "left /data"),
                visits);
    }

    /** Goal: the order does not depend on which listing arrives first. */
    @Test
    void visitsRandomTreesInOrder() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var directories = new ArrayList<>(List.of(""));
        for (int i = 0; i < 400; i++) {
            var path = directories.get(random.nextInt(directories.size())) + "n" + i;
            if (random.nextInt(3) == 0) {
                directories.add(path + "/");
                path += "/";
            }
            tree(path);
        }
        listing =
                path -> {
                    if (random.nextBoolean()) {
                        Thread.yield();
                    }
                    return path;
                };
        walk(
                new Recorder() {
                    @Override
                    public void listed(Visit directory, List<NamedFile> entries) {}

                    @Override
                    public void left(Visit directory) {}
                });
        // A slash sorts before all characters of these names, as the names of a directory do.
        var wanted =
                files.keySet().stream()
                        .sorted(
                                (one, other) ->
                                        one.replace('/', ' ').compareTo(other.replace('/', ' ')))
                        .map(path -> "/data/" + path.replaceFirst("/$", ""))
                        .toList();
        var found =
                visits.stream()
                        .skip(1)
                        .map(visit -> visit.substring(0, visit.indexOf('@')))
                        .toList();
        assertEquals(wanted, found);
    }

    @Test
    void listsSeveralDirectoriesAtATimeButNotMoreThanAllowed() throws Exception {
        for (int i = 0; i < 2 * FILES_MAX; i++) {
            tree("d" + i + "/");
        }
        var together = new CyclicBarrier(FILES_MAX);
        var now = new AtomicInteger();
        var most = new AtomicInteger();
        listing =
                path -> {
                    if (!path.isEmpty()) {
                        most.accumulateAndGet(now.incrementAndGet(), Math::max);
                        try {
                            together.await(WAIT_SECONDS, TimeUnit.SECONDS);
                        } catch (InterruptedException
                                | BrokenBarrierException
                                | TimeoutException failure) {
                            throw new IllegalStateException(failure);
                        }
                        now.decrementAndGet();
                    }
                    return path;
                };
        walk(new Recorder());
        assertEquals(FILES_MAX, most.get());
        assertTrue(visits.contains("left /data/d7"), visits::toString);
    }

    @Test
    void goesOnAfterADirectoryThatCannotBeListed() throws Exception {
        tree("a/", "a/b", "c");
        listing = path -> path.equals("a/") ? null : path;
        walk(new Recorder());
        assertEquals(
                List.of(
                        "/data@0",
                        "2 in /data",
                        "/data/a@1",
                        "cannot list /data/a: permission denied",
                        "left /data/a",
                        "/data/c@1",
                        "left /data"),
                visits);
    }

    @Test
    void goesNoDeeperThanTheVisitorWants() throws Exception {
        tree("a/", "a/b/", "a/b/c");
        walk(
                new Recorder() {
                    @Override
                    public boolean enters(Visit directory) {
                        return directory.depth() < 1;
                    }
                });
        assertEquals(List.of("/data@0", "1 in /data", "/data/a@1", "left /data"), visits);
    }

    @Test
    void endsWhenTheVisitorFails() throws Exception {
        tree("a/", "b/");
        var stopping =
                new Recorder() {
                    @Override
                    public void visit(Visit file) {
                        super.visit(file);
                        if (file.depth() > 0) {
                            throw new UncheckedIOException(new IOException("enough"));
                        }
                    }
                };
        var failure = assertThrows(UncheckedIOException.class, () -> walk(stopping));
        assertEquals("enough", failure.getCause().getMessage());
        assertEquals(List.of("/data@0", "2 in /data", "/data/a@1"), visits);
    }

    @Test
    void refusesADirectoryThatContainsItself() throws Exception {
        tree("a/", "a/a/");
        listing = path -> path.isEmpty() ? "" : "a/";
        walk(new Recorder());
        assertTrue(
                visits.contains(
                        "cannot go into /data/a/a/a: this directory contains itself on the server"),
                visits::toString);
    }
}
