package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.serve.ExportOptions;
import io.github.rpcrdma4j.cli.serve.Trees;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.client.copy.LocalPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A process in a mount namespace of its own that runs commands on a name while one of its threads
 * exchanges what has the name: something of another user, and a link to a file of this one. The
 * file system there is mounted so that the kernel follows no link. So it stands for a sticky
 * directory where {@code fs.protected_symlinks} keeps the kernel from following links of others.
 * Another command has its working directory renamed.
 */
public final class ExchangingProcess {
    private static final int TURNS = 300;
    private static final int RENAMED_TURNS = 20;

    /** After that time a command has had enough turns, if it has been refused and has succeeded. */
    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(8);

    private final Path sticky;
    private final Path exported;
    private final Path own;
    private final Path name;
    private final Path link;
    private final Console console = new Console();

    private ExchangingProcess(Path directory) throws IOException {
        sticky = Files.createDirectory(directory.resolve("sticky"));
        exported = Files.createDirectory(directory.resolve("exported"));
        own = Files.createDirectory(directory.resolve("own"));
        name = sticky.resolve("name");
        link = sticky.resolve("link");
    }

    /**
     * Runs a command until it has been tried often enough.
     *
     * @param arguments the command, and an empty directory
     */
    public static void main(String[] arguments) throws Exception {
        var process = new ExchangingProcess(Path.of(arguments[1]));
        mount(process.sticky);
        try (var served = ServedDirectory.of(process.exported)) {
            switch (arguments[0]) {
                case "sync" -> process.sync(served.url());
                case "get" -> process.get(served.url());
                case "put" -> process.put(served.url());
                case "serve" -> process.serve();
                case "renamed" -> process.renamed(served.url());
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
    }

    private static void mount(Path directory) throws IOException, InterruptedException {
        var mounting =
                new ProcessBuilder(
                                "mount",
                                "-t",
                                "tmpfs",
                                "-o",
                                "nosymfollow,mode=1777",
                                "none",
                                directory.toString())
                        .inheritIO()
                        .start();
        assertEquals(0, mounting.waitFor());
    }

    /** What is done before or after each run of a command. */
    private interface Step {
        void take() throws IOException;
    }

    /**
     * Runs a command repeatedly, while another thread exchanges the name and the link.
     *
     * @param target of the link
     * @param before makes what has the name at first
     * @param after checks what the command has done
     */
    private void repeat(Path target, Step before, Step after, String... command) throws Exception {
        int done = 0;
        int refused = 0;
        long start = System.nanoTime();
        for (int turn = 0; turn < TURNS; turn++) {
            clear();
            before.take();
            Files.createSymbolicLink(link, target);
            if (runWhileExchanged(name, link, command) == 0) {
                done++;
            } else {
                refused++;
            }
            after.take();
            if (done > 0 && refused > 0 && System.nanoTime() - start > ENOUGH_NANOS) {
                break;
            }
        }
        assertTrue(done > 0 && refused > 0, done + " done, " + refused + " refused");
    }

    private void clear() throws IOException {
        try (var children = Files.newDirectoryStream(sticky)) {
            for (var each : children) {
                Trees.delete(each);
            }
        }
    }

    private int runWhileExchanged(Path one, Path other, String... command)
            throws InterruptedException {
        var ends = new AtomicBoolean();
        var exchanging = Thread.ofPlatform().start(() -> exchange(one, other, ends));
        try {
            return console.run(command);
        } finally {
            ends.set(true);
            exchanging.join();
        }
    }

    private static void exchange(Path one, Path other, AtomicBoolean ends) {
        var scratch = new Scratch();
        long path = scratch.text(Scratch.TEXT, bytes(one));
        long otherPath = scratch.text(Scratch.TEXT + 2048, bytes(other));
        while (!ends.get()) {
            Kernel.renameat2(
                    scratch,
                    Kernel.AT_FDCWD,
                    path,
                    Kernel.AT_FDCWD,
                    otherPath,
                    Kernel.RENAME_EXCHANGE);
        }
    }

    private static byte[] bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void sync(String url) throws Exception {
        Files.createFile(Files.createDirectory(exported.resolve("source")).resolve("new"));
        var kept = Files.createFile(own.resolve("kept"));
        repeat(
                own,
                () -> Files.createDirectory(name),
                () -> assertTrue(Files.exists(kept), "a file of the user was removed"),
                "sync",
                "--delete",
                url + "/source/",
                name.toString());
    }

    private void get(String url) throws Exception {
        Files.writeString(exported.resolve("file"), "of the server");
        var kept = Files.writeString(own.resolve("kept"), "of the user");
        repeat(
                kept,
                () -> Files.createFile(name),
                () -> assertEquals("of the user", Files.readString(kept)),
                "get",
                url + "/file",
                name.toString());
    }

    private void put(String url) throws Exception {
        Files.createFile(own.resolve("secret"));
        repeat(
                own,
                () -> Files.createFile(Files.createDirectory(name).resolve("given")),
                () -> assertTrue(Files.notExists(exported.resolve("copy/secret")), "it was sent"),
                "put",
                "-r",
                name + "/.",
                url + "/copy");
    }

    private void serve() throws Exception {
        Files.createDirectory(name);
        assertEquals(name.toRealPath(), ExportOptions.directory(name.toString()));
        Files.createSymbolicLink(link, own);
        assertThrows(IOException.class, () -> ExportOptions.directory(link.toString()));
        assertThrows(IOException.class, () -> ExportOptions.directory(link + "/."));
    }

    /** The working directory has another name, and exchanges it with another directory. */
    private void renamed(String url) throws Exception {
        Files.createFile(Files.createDirectory(exported.resolve("source")).resolve("new"));
        var here = Path.of("").toAbsolutePath();
        var moved = Files.move(here, here.resolveSibling("moved"));
        Files.createDirectory(moved.resolve("copy"));
        var kept = Files.createFile(Files.createDirectories(here.resolve("copy")).resolve("kept"));
        try (var place = LocalPlace.openDirectory(Path.of("copy"), "cannot open it")) {
            assertEquals(moved.resolve("copy"), place.directory());
        }
        for (int turn = 0; turn < RENAMED_TURNS; turn++) {
            runWhileExchanged(here, moved, "sync", "--delete", url + "/source/", "copy");
            // An odd number of exchanges has given its name to the other directory.
            boolean isKept = Files.exists(kept) || Files.exists(moved.resolve("copy/kept"));
            assertTrue(isKept, "a file of another directory was removed");
        }
        assertTrue(
                Files.exists(here.resolve("copy/new")) || Files.exists(moved.resolve("copy/new")),
                "nothing was copied");
    }
}
