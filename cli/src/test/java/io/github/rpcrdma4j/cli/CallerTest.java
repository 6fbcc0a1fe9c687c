package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a command calls as the user who runs it. Method: root serves a directory, and a command of
 * another user makes a file there, whose owner the test checks.
 */
class CallerTest {
    private static final long END_SECONDS = 60;

    @TempDir private Path directory;
    private Path exported;
    private String classPath;
    private NfsServer nfs;
    private RpcRdmaServer server;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(
                CallerOptions.user() instanceof Credential.Sys own && own.uid() == 0,
                "only root can act for others");
        assumeTrue(hasSetpriv(), "there is no setpriv");
        allow(directory, "rwxr-xr-x");
        exported = allow(Files.createDirectory(directory.resolve("exported")), "rwxrwxrwx");
        classPath = classPath(Files.createDirectory(directory.resolve("classes")));
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), HandleKey.random());
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs())
                        .start();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
            nfs.close();
        }
    }

    private static boolean hasSetpriv() throws InterruptedException {
        try {
            return new ProcessBuilder("setpriv", "--version").start().waitFor() == 0;
        } catch (IOException _) {
            return false;
        }
    }

    private static Path allow(Path file, String permissions) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    /** Copies the class path, which another user may be unable to read. */
    private static String classPath(Path classes) throws IOException {
        allow(classes, "rwxr-xr-x");
        var copies = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            var source = Path.of(entry);
            if (Files.exists(source)) {
                var copy = classes.resolve(copies.size() + "-" + source.getFileName());
                copy(source, copy);
                copies.add(copy.toString());
            }
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path source, Path target) throws IOException {
        try (var all = Files.walk(source)) {
            for (var file : all.toList()) {
                var copy = target.resolve(source.relativize(file).toString());
                boolean isDirectory = Files.isDirectory(file);
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                allow(copy, isDirectory ? "rwxr-xr-x" : "rw-r--r--");
            }
        }
    }

    private int run(String user, String group, String groups, String... arguments)
            throws Exception {
        var command = new ArrayList<>(List.of("setpriv", "--reuid", user, "--regid", group));
        command.addAll(List.of("--groups", groups));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath));
        command.add(Rpcrdma.class.getName());
        command.addAll(List.of(arguments));
        var process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("printed").toFile())
                        .start();
        assertTrue(process.waitFor(END_SECONDS, TimeUnit.SECONDS), "the command ends");
        return process.exitValue();
    }

    private static List<Object> owners(Path file) throws IOException {
        return List.of(
                Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS),
                Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS));
    }

    /** The user may enter the directory only through a supplementary group. */
    @Test
    void callsAsTheUserWhoRunsTheCommand() throws Exception {
        var shared = allow(Files.createDirectory(exported.resolve("shared")), "rwxrwx---");
        Files.setAttribute(shared, "unix:gid", 7003);
        var hidden = allow(Files.createDirectory(exported.resolve("hidden")), "rwxrwx---");
        var base = "rdma://127.0.0.1:" + server.address().getPort() + "/data";
        assertEquals(
                0, run("7000", "7001", "7002,7003", "mkdir", base + "/shared/new"), this::printed);
        assertEquals(List.of(7000, 7001), owners(shared.resolve("new")));
        assertEquals(1, run("7000", "7001", "7002,7003", "mkdir", base + "/hidden/new"));
        assertTrue(printed().contains("permission denied"), this::printed);
        assertEquals(0, hidden.toFile().list().length);
    }

    private String printed() {
        try {
            return Files.readString(directory.resolve("printed"));
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
