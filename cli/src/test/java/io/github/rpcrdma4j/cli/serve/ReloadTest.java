package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.nfs.client.NfsFiles;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a server reads its config file again while it serves, by SIGHUP and by a command. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReloadTest {
    private static final int RELOADS = 50;
    private static final String LOCALHOST = "127.0.0.1 localhost\n";
    private static final String PARTNER = "127.0.0.1 partner.test\n";

    @TempDir private Path directory;
    private final Console console = new Console();
    private Path file;

    @BeforeEach
    void makeDirectories() throws IOException {
        file = directory.resolve("serve.toml");
        for (var name : List.of("stays", "one", "two")) {
            Files.createDirectory(directory.resolve(name));
            for (var each : List.of("file", "a", "b")) {
                Files.writeString(directory.resolve(name).resolve(each), name);
            }
        }
    }

    private void write(String settings, String... exports) throws IOException {
        var text = new StringBuilder("listen = \"127.0.0.1:0\"\n" + settings);
        for (var each : exports) {
            text.append(export(each, "any,no_root_squash"));
        }
        Files.writeString(file, text);
    }

    private String export(String name, String rule) {
        return """
        [export."/%s"]
        directory = "%s"
        allow = ["%s"]
        """
                .formatted(name, directory.resolve(name), rule);
    }

    private static String url(ServerProcess server, String export) {
        return server.url().replaceFirst("/[a-z]+$", "/" + export);
    }

    @Test
    void aSignalHasTheFileReadAgain() throws Exception {
        write("", "stays", "one");
        try (var server = ServerProcess.configured(file)) {
            console.succeeds("cat", url(server, "one") + "/file");
            write("lease = 30\n", "stays", "two");
            server.hangUp();
            server.awaitLine(Pattern.compile(" INFO reloaded .*"));
            assertTrue(
                    server.printed
                            .get(server.printed.size() - 2)
                            .endsWith(file + ":2: lease changes at the next start only"),
                    server.printed::toString);
            assertTrue(
                    server.printed
                            .getLast()
                            .endsWith(
                                    "reloaded " + file + ": removed /one; added /two; 1 unchanged"),
                    server.printed::getLast);
            server.awaitLine(Pattern.compile("rpcrdma ls rdma://.*/two$"));
            console.succeeds("cat", url(server, "two") + "/file");
            console.failsWithOneLine("", "cat", url(server, "one") + "/file");
        }
    }

    @Test
    void aBrokenFileChangesNothingAndIsOneLine() throws Exception {
        write("", "stays");
        try (var server = ServerProcess.configured(file)) {
            Files.writeString(file, "lisen = 1\nlease = \"x\"\n");
            server.hangUp();
            server.awaitLine(Pattern.compile(" WARNING not reloaded.*"));
            var words =
                    ("not reloaded, all is served as before: %s: there is no export:"
                                    + " [export.\"/NAME\"] begins one (and 2 more: rpcrdma serve"
                                    + " --config %s --check)")
                            .formatted(file, file);
            assertTrue(server.printed.getLast().endsWith(words), server.printed::getLast);
            console.succeeds("cat", url(server, "stays") + "/file");
            console.failsWithOneLine(
                    "there is no export", "reload", "--control", server.control().toString());
        }
    }

    @Test
    void theCommandTellsWhatHasChanged() throws Exception {
        write("", "stays", "one");
        try (var server = ServerProcess.configured(file)) {
            Files.writeString(
                    file,
                    "listen = \"127.0.0.1:0\"\n"
                            + export("stays", "any,ro")
                            + export("one", "any,no_root_squash"));
            console.succeeds("reload", "--control", server.control().toString());
            assertEquals("reloaded " + file + ": changed /stays; 1 unchanged\n", console.out());
            console.failsWithOneLine("", "mkdir", url(server, "stays") + "/made");
        }
    }

    /** Starts a server that knows the names of hosts from a file. */
    private ServerProcess serveTo(String host, Path hosts) throws IOException {
        var rules = export("stays", host + ",no_root_squash");
        Files.writeString(file, "listen = \"127.0.0.1:0\"\n" + rules);
        return ServerProcess.configured(file, hosts);
    }

    /** The export itself is unchanged. */
    @Test
    void hostNamesAreLookedUpAgain() throws Exception {
        var hosts = Files.writeString(directory.resolve("hosts"), LOCALHOST + PARTNER);
        try (var server = serveTo("partner.test", hosts)) {
            console.succeeds("cat", url(server, "stays") + "/file");
            Files.writeString(hosts, LOCALHOST + "192.0.2.1 partner.test\n");
            server.hangUp();
            server.awaitLine(Pattern.compile(" INFO host partner.test is now at 192.0.2.1$"));
            server.awaitLine(Pattern.compile(" INFO reloaded .*: 1 unchanged$"));
            console.failsWithOneLine("", "cat", url(server, "stays") + "/file");
            Files.writeString(hosts, LOCALHOST + PARTNER);
            console.succeeds("reload", "--control", server.control().toString());
            console.succeeds("cat", url(server, "stays") + "/file");
        }
    }

    /** The addresses of before stay, and so do the rules. */
    @Test
    void aReloadWithoutAnAnswerOfTheResolverChangesNothing() throws Exception {
        var hosts = Files.writeString(directory.resolve("hosts"), LOCALHOST + PARTNER);
        try (var server = serveTo("partner.test", hosts)) {
            Files.writeString(hosts, LOCALHOST);
            console.failsWithOneLine(
                    "unknown host: partner.test",
                    "reload",
                    "--control",
                    server.control().toString());
            console.succeeds("cat", url(server, "stays") + "/file");
        }
    }

    @Test
    void aServerWithoutAFileCannotReload() throws Exception {
        try (var server = new ServerProcess("--listen", "127.0.0.1:0")) {
            console.failsWithOneLine(
                    "started without a config file",
                    "reload",
                    "--control",
                    server.control().toString());
        }
    }

    /** Each thread has a connection of its own, and reads what it has written. */
    @Test
    void noCallOfAnExportThatStaysFailsWhileTheFileIsReadFiftyTimes() throws Exception {
        write("", "stays");
        var isOver = new AtomicBoolean();
        var calls = new AtomicInteger();
        try (var server = ServerProcess.configured(file);
                var clients = Executors.newFixedThreadPool(2)) {
            var working =
                    List.of(
                            clients.submit(() -> use(server, "a", isOver, calls)),
                            clients.submit(() -> use(server, "b", isOver, calls)));
            try {
                for (int i = 0; i < RELOADS; i++) {
                    int target = calls.get() + 4;
                    Eventually.await(
                            () ->
                                    calls.get() >= target
                                            || working.stream().anyMatch(each -> each.isDone()));
                    if (i % 2 == 0) {
                        write("", "one", "stays");
                    } else {
                        write("", "stays", "two");
                    }
                    console.succeeds("reload", "--control", server.control().toString());
                    assertTrue(console.out().contains("; 1 unchanged"), console::out);
                }
            } finally {
                isOver.set(true);
            }
            for (var each : working) {
                each.get();
            }
        }
    }

    private static Void use(
            ServerProcess server, String name, AtomicBoolean isOver, AtomicInteger calls)
            throws Exception {
        var random = new Random(name.hashCode());
        byte[] written = new byte[65_536];
        try (var files = NfsFiles.connect(server.url());
                var channel =
                        files.newByteChannel(
                                "/stays/" + name,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            while (!isOver.get()) {
                random.nextBytes(written);
                channel.position(0);
                channel.write(ByteBuffer.wrap(written));
                channel.position(0);
                var read = ByteBuffer.allocate(written.length);
                while (read.hasRemaining() && channel.read(read) >= 0) {
                    calls.incrementAndGet();
                }
                assertArrayEquals(written, read.array());
            }
        }
        return null;
    }
}
