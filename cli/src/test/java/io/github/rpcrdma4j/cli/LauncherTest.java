package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a user who cannot build gets one line that says why, and Java gets an AOT cache only if
 * that fits. Method: the launcher in a copy of the tree, with scripts in place of Maven and Java.
 */
class LauncherTest {
    private static final long END_SECONDS = 60;
    private static final Path PROJECT = Path.of(System.getProperty("project.root"));
    private static final String RECORDED = "cli/target/rpcrdma.aot.java";
    private static final String RECORDING =
            "Recording how rpcrdma4j starts (only after a build)...";
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir private Path directory;
    private Path tree;
    private Path built;
    private Path programs;
    private final List<String> printed = new ArrayList<>();

    /** What starts the launcher: words before its name. */
    private String prefix = "";

    @BeforeEach
    void layOut() throws Exception {
        tree = Files.createDirectories(directory.resolve("tree"));
        Files.createDirectories(tree.resolve("dev"));
        Files.copy(PROJECT.resolve("rpcrdma"), tree.resolve("rpcrdma"));
        Files.createDirectories(tree.resolve("cli"));
        for (var file : List.of("dev/find-jdk", "dev/mvn", "mvnw", "cli/launch")) {
            Files.copy(PROJECT.resolve(file), tree.resolve(file));
        }
        var sources = Files.createDirectories(tree.resolve("cli/src/main"));
        Files.writeString(sources.resolve("New.java"), "");
        Files.writeString(tree.resolve("cli/pom.xml"), "");
        Files.createDirectories(tree.resolve("cli/target/runtime"));
        Files.writeString(tree.resolve("cli/target/cli.jar"), "");
        built = tree.resolve("cli/target/built");
        programs = Files.createDirectories(directory.resolve("programs"));
        var jdk = Files.createDirectories(directory.resolve("jdk/bin")).getParent();
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
        script(jdk.resolve("bin/javac"), "");
        script(
                jdk.resolve("bin/java"),
                """
                case "$*" in
                  *TrainingRun*) [ -e "$0.fails" ] || echo cache >"${1#-XX:AOTCacheOutput=}" ;;
                  *-XX:AOTCache=*) echo java runs with a cache ;;
                  *) echo java runs ;;
                esac""");
        maven("mkdir -p cli/target");
    }

    private static void script(Path file, String commands) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + commands + "\n");
        executable(file);
    }

    private static void executable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void maven(String commands) throws IOException {
        script(programs.resolve("mvn"), commands);
    }

    /** Prepares the files that an old build leaves. */
    private void wasBuilt() throws IOException {
        Files.writeString(built, "");
        for (var file : List.of(built, tree.resolve("cli/target/cli.jar"))) {
            Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
        }
        Files.copy(
                directory.resolve("jdk/release"),
                tree.resolve(RECORDED),
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** Prepares the files of a build that is newer than the sources, without a cache. */
    private void isUpToDate() throws IOException {
        wasBuilt();
        Files.setLastModifiedTime(built, FileTime.from(Instant.now()));
        Files.delete(tree.resolve(RECORDED));
    }

    /** Starts the launcher; scripts know it by its number. */
    private Process start(int number) throws IOException {
        var builder =
                new ProcessBuilder("sh", "-c", "exec " + prefix + "\"$0\" ls", launcher())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("printed").toFile());
        builder.environment().clear();
        builder.environment().put("PATH", programs + ":/usr/bin:/bin");
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        builder.environment().put("START", "" + number);
        return builder.start();
    }

    private String launcher() {
        return tree.resolve("rpcrdma").toString();
    }

    private int run() throws Exception {
        var process = start(1);
        assertTrue(process.waitFor(END_SECONDS, TimeUnit.SECONDS), "the launcher ends");
        printed.clear();
        printed.addAll(Files.readAllLines(directory.resolve("printed")));
        return process.exitValue();
    }

    private void printedIs(String first, String... others) {
        assertEquals(1 + others.length, printed.size(), printed::toString);
        assertTrue(printed.getFirst().contains(first), printed::toString);
        assertEquals(List.of(others), printed.subList(1, printed.size()));
    }

    /** Goal: a command that needs no file of the removed directory runs; others say what to do. */
    @Test
    void runsInADirectoryThatWasRemoved() throws Exception {
        isUpToDate();
        var gone = directory.resolve("gone");
        for (var words : List.of("ls rdma://server/data", "get rdma://server/data/file .")) {
            Files.createDirectory(gone);
            var builder =
                    new ProcessBuilder(
                                    "sh",
                                    "-c",
                                    "rmdir \"$PWD\"; exec \"$0\" " + words,
                                    tree.resolve("rpcrdma").toString())
                            .directory(gone.toFile());
            builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
            var process = builder.redirectErrorStream(true).start();
            try (var lines = process.inputReader()) {
                var last = lines.lines().toList().getLast();
                assertTrue(
                        words.startsWith("ls")
                                ? last.startsWith("java runs")
                                : last.startsWith("rpcrdma: the current directory was removed"),
                        last);
            }
            assertEquals(words.startsWith("ls") ? 0 : 1, process.waitFor());
        }
    }

    /** Goal: under a supervisor that ignores SIGPIPE, nothing but the path is printed. */
    @Test
    void findsTheJdkWithoutABrokenPipe() throws Exception {
        var builder =
                new ProcessBuilder(
                                "bash",
                                "-c",
                                "trap '' PIPE; for i in {1..20}; do \"$0\"; done",
                                tree.resolve("dev/find-jdk").toString())
                        .redirectErrorStream(true);
        var jdk = directory.resolve("jdk").toString();
        builder.environment().put("JAVA_HOME", jdk);
        try (var lines = builder.start().inputReader()) {
            assertEquals(List.of(jdk), lines.lines().distinct().toList());
        }
    }

    @Test
    void buildsWhatIsNewerThanTheBuild() throws Exception {
        wasBuilt();
        assertEquals(0, run(), printed::toString);
        printedIs("Building", "java runs");
        assertEquals(0, run(), printed::toString);
        printedIs("java runs");
    }

    /**
     * Goal: a start that finds the build old while another one builds waits, and does not build
     * again. Method: Maven ends once the other start has looked at the sources.
     */
    @Test
    void twoStartsBuildOnce() throws Exception {
        wasBuilt();
        var looked = directory.resolve("looked");
        assertEquals(0, new ProcessBuilder("mkfifo", looked.toString()).start().waitFor());
        var builds = directory.resolve("builds");
        maven("echo built >>%s; [ $START != 1 ] || read line <%s".formatted(builds, looked));
        script(
                programs.resolve("find"),
                """
                /usr/bin/find "$@"
                if [ $START = 2 ] && mkdir %s 2>/dev/null; then echo >%s; fi"""
                        .formatted(directory.resolve("once"), looked));
        var starts = List.of(start(1), start(2));
        for (var each : starts) {
            assertTrue(each.waitFor(END_SECONDS, TimeUnit.SECONDS), "the launcher ends");
            assertEquals(0, each.exitValue());
        }
        assertEquals(List.of("built"), Files.readAllLines(builds));
    }

    @Test
    void runsTheOlderBuildWhereMavenHasNoPlaceForItsRepository() throws Exception {
        maven(
                "echo '[ERROR] Could not create local repository at /nonexistent/.m2/repository ->"
                        + " [Help 1]'; echo '[ERROR] more'; exit 1");
        assertEquals(1, run());
        assertEquals(
                List.of(
                        "Building rpcrdma4j (only when something changed)...",
                        "rpcrdma: it is not built yet, and cannot be: Could not create local"
                                + " repository at /nonexistent/.m2/repository"),
                printed);
        wasBuilt();
        assertEquals(0, run(), printed::toString);
        printedIs(
                "Building",
                "rpcrdma: the sources are newer than the build, which runs as it is: Could not"
                        + " create local repository at /nonexistent/.m2/repository",
                "java runs");
    }

    @Test
    void runsTheOlderBuildWhereTheTreeCannotBeWritten() throws Exception {
        // Root may write everywhere, so a script in place of find reports an unwritable directory.
        script(programs.resolve("find"), finding("! -writable"));
        assertEquals(1, run());
        printedIs("rpcrdma: it is not built yet, and cannot be: user ");
        wasBuilt();
        assertEquals(0, run(), printed::toString);
        printedIs(
                "rpcrdma: the sources are newer than the build, which runs as it is", "java runs");
    }

    @Test
    void passesByWhatItMayNotRead() throws Exception {
        wasBuilt();
        // Root may read everything, so a script in place of find complains of a directory.
        script(
                programs.resolve("find"),
                "echo \"find: 'x': Permission denied\" >&2; exec /usr/bin/find \"$@\"");
        assertEquals(0, run(), printed::toString);
        printedIs("Building", "java runs");
        assertEquals(0, run(), printed::toString);
        printedIs("java runs");
    }

    /**
     * Returns a find script that prints its first argument if it is called with the given words, as
     * it would for a user without write permission.
     */
    private static String finding(String words) {
        return "case \"$*\" in *'"
                + words
                + "'*) echo \"$1\" ;; *) exec /usr/bin/find \"$@\" ;; esac";
    }

    @Test
    void showsWhyABuildFailed() throws Exception {
        wasBuilt();
        maven("echo '[ERROR] New.java: not Java'; exit 1");
        assertEquals(1, run());
        printedIs("Building", "[ERROR] New.java: not Java", "rpcrdma: the build failed: see above");
    }

    @Test
    void recordsACacheOnceForEachBuildAndForEachJava() throws Exception {
        isUpToDate();
        assertEquals(0, run(), printed::toString);
        assertEquals(List.of(RECORDING, "java runs with a cache"), printed);
        assertEquals(0, run(), printed::toString);
        printedIs("java runs with a cache");
        var jar = tree.resolve("cli/target/cli.jar");
        Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(60)));
        assertEquals(0, run(), printed::toString);
        assertEquals(List.of(RECORDING, "java runs with a cache"), printed);
        Files.setLastModifiedTime(jar, FileTime.from(LONG_AGO));
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"26\"\n");
        assertEquals(0, run(), printed::toString);
        assertEquals(List.of(RECORDING, "java runs with a cache"), printed);
        assertEquals(0, run(), printed::toString);
        printedIs("java runs with a cache");
    }

    @Test
    void startsWithoutACacheThatJavaCouldNotRecord() throws Exception {
        isUpToDate();
        Files.writeString(directory.resolve("jdk/bin/java.fails"), "");
        Files.writeString(tree.resolve("cli/target/rpcrdma.aot"), "of an older build");
        assertEquals(0, run(), printed::toString);
        assertEquals(List.of(RECORDING, "java runs"), printed);
        assertEquals(0, run(), printed::toString);
        printedIs("java runs");
    }

    @Test
    void startsWithoutACacheThatDoesNotFitWhereNoneCanBeRecorded() throws Exception {
        isUpToDate();
        Files.writeString(tree.resolve("cli/target/rpcrdma.aot"), "of an older build");
        // Root may write everywhere, so a script in place of mktemp makes no directory.
        script(programs.resolve("mktemp"), "exit 1");
        assertEquals(0, run(), printed::toString);
        printedIs("java runs");
    }

    /** Goal: who may not read what another user has recorded runs without it. */
    @Test
    void startsWithoutACacheThatItMayNotRead() throws Exception {
        isUpToDate();
        assertEquals(0, run(), printed::toString);
        script(programs.resolve("mktemp"), "exit 1");
        // Root may read everything, so the launcher runs without the capabilities for that.
        prefix =
                CallerOptions.user() instanceof Credential.Sys user && user.uid() == 0
                        ? "setpriv --bounding-set -dac_override,-dac_read_search "
                        : "";
        for (var name : List.of(RECORDED, "cli/target/rpcrdma.aot")) {
            var file = tree.resolve(name);
            Files.setPosixFilePermissions(file, Set.of());
            assertEquals(0, run(), printed::toString);
            printedIs("java runs");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        }
    }
}
