package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs classes of this build as other users, which only root can do. */
public final class OtherUser {
    private static final long END_SECONDS = 60;

    private final Path directory;
    private final String classPath;

    /**
     * Skips the test if this process is not root.
     *
     * @param directory for copies of classes and for what the processes print
     */
    public OtherUser(Path directory) throws Exception {
        assumeTrue(
                CallerOptions.user() instanceof Credential.Sys own && own.uid() == 0,
                "only root can act for others");
        assumeTrue(hasSetpriv(), "there is no setpriv");
        this.directory = allow(directory, "rwxr-xr-x");
        this.classPath = classPath(Files.createDirectory(directory.resolve("classes")));
    }

    private static boolean hasSetpriv() throws InterruptedException {
        try {
            return new ProcessBuilder("setpriv", "--version").start().waitFor() == 0;
        } catch (IOException _) {
            return false;
        }
    }

    /** Sets the permissions of a file, and returns it. */
    public static Path allow(Path file, String permissions) throws IOException {
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

    /**
     * Runs a class, and waits for its end.
     *
     * @param groups supplementary ones, separated by commas; empty for none
     * @return its status
     */
    public int run(Class<?> main, String user, String group, String groups, String... arguments)
            throws Exception {
        var command = new ArrayList<>(List.of("setpriv", "--reuid", user, "--regid", group));
        command.addAll(groups.isEmpty() ? List.of("--clear-groups") : List.of("--groups", groups));
        command.addAll(java(main, arguments));
        var process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("printed").toFile())
                        .start();
        assertTrue(process.waitFor(END_SECONDS, TimeUnit.SECONDS), "the process ends");
        return process.exitValue();
    }

    /**
     * Starts a class as the user 7000, whose input and output the caller has.
     *
     * @param binds whether it may have ports below 1024
     */
    public Process start(Class<?> main, boolean binds, String... arguments) throws IOException {
        var command =
                new ArrayList<>(
                        List.of("setpriv", "--reuid", "7000", "--regid", "7001", "--clear-groups"));
        if (binds) {
            command.addAll(List.of("--inh-caps", "+net_bind_service"));
            command.addAll(List.of("--ambient-caps", "+net_bind_service"));
        }
        command.addAll(java(main, arguments));
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private List<String> java(Class<?> main, String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    /** Returns what the last process has printed. */
    public String printed() {
        try {
            return Files.readString(directory.resolve("printed"));
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
