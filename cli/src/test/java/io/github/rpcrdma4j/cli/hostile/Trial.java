package io.github.rpcrdma4j.cli.hostile;

import io.github.rpcrdma4j.cli.Rpcrdma;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Runs one command against one hostile server, in a separate process with a small heap, and checks
 * how it ends.
 */
public final class Trial {
    static final int DEADLINE_SECONDS = 1;

    /**
     * The class path of the command, and options for a fast start, which {@code dev/evil} provides.
     */
    private static final String CLASS_PATH =
            System.getProperty("evil.classpath", System.getProperty("java.class.path"));

    private static final List<String> JAVA_OPTIONS =
            System.getProperty("evil.java", "").lines().toList();

    /** The most seconds of a command, including the start of Java on a busy machine. */
    private static final int SECONDS_MAX = 120;

    /** The seconds after which a command that may run without end is stopped. */
    private static final int LASTS_SECONDS = 6;

    private static final int END_SECONDS = 30;
    private static final int TERMINATED = 128 + 15;
    private static final int LINE_MAX = 1 << 15;

    /** The most memory in KiB: heap, memory of calls, and Java itself. */
    private static final long MEMORY_MAX = 512L << 10;

    private static final long POLL_MILLIS = 20;

    /**
     * The result of a trial.
     *
     * @param faults the violated expectations; empty if the trial passes
     * @param memory peak resident memory, in KiB
     */
    public record Outcome(
            TriedLie lie,
            TrialCommand command,
            int status,
            boolean stopped,
            double seconds,
            long memory,
            List<String> errLines,
            List<String> faults) {}

    private final TriedLie lie;
    private final TrialCommand command;
    private final Path directory;
    private final Path source;
    private final List<String> faults = new ArrayList<>();

    /**
     * Creates a trial.
     *
     * @param directory an empty directory for this trial alone
     * @param source the tree that {@code put} copies
     */
    public Trial(TriedLie lie, TrialCommand command, Path directory, Path source) {
        this.lie = lie;
        this.command = command;
        this.directory = directory;
        this.source = source;
    }

    /** Makes the tree that {@code put} copies: a file of several transfers, a link, directories. */
    public static void fill(Path source) throws IOException {
        Files.createDirectories(source.resolve("directory/empty"));
        byte[] bytes = new byte[(3 << 20) + 1];
        new Random(2).nextBytes(bytes);
        Files.write(source.resolve("file"), bytes);
        Files.write(source.resolve("directory/small"), new byte[] {1});
        Files.createSymbolicLink(source.resolve("link"), Path.of("file"));
    }

    /** Runs the command against a server. */
    public Outcome run(String url) throws IOException, InterruptedException {
        return run(url, UnaryOperator.identity());
    }

    /**
     * Runs the command likewise.
     *
     * @param changed changes the words of the command
     */
    public Outcome run(String url, UnaryOperator<List<String>> changed)
            throws IOException, InterruptedException {
        var target = Files.createDirectory(directory.resolve("target"));
        var canary = Files.createDirectories(directory.resolve("canary"));
        Files.writeString(canary.resolve("kept"), "kept");
        Files.createDirectory(canary.resolve("directory"));
        var over = Files.createDirectories(target.resolve("over/data"));
        for (var name : List.of("file", "directory", "twice", "self", "d0")) {
            Files.createSymbolicLink(
                    over.resolve(name),
                    Path.of(name.equals("file") ? "../../../canary/kept" : "../../../canary"));
        }
        var before = state(directory, target);
        var sourceBefore = state(source, null);
        var out = directory.resolve("out").toFile();
        var err = directory.resolve("err").toFile();
        long start = System.nanoTime();
        var arguments = changed.apply(command.arguments(url, source.toString(), DEADLINE_SECONDS));
        var process = start(arguments, target, out, err);
        long memory = await(process, start);
        boolean lasted = process.isAlive();
        if (lasted) {
            process.destroy();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                faults.add("goes on after SIGTERM");
                process.destroyForcibly().waitFor();
            }
            if (!lie.lasts(command)) {
                faults.add("does not end");
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        byte[] printed = Files.readAllBytes(err.toPath());
        Files.delete(err.toPath());
        Files.delete(out.toPath());
        int status = process.exitValue();
        if (!(status >= 0 && status <= 2 || lasted && status == TERMINATED)) {
            faults.add("ends with " + status);
        }
        if (memory > MEMORY_MAX) {
            faults.add("takes " + memory / 1024 + " MiB");
        }
        var lines = lines(printed);
        check(lines);
        if (!before.equals(state(directory, target)) || !sourceBefore.equals(state(source, null))) {
            faults.add("changes what is outside the target");
        }
        checkTarget(target);
        return new Outcome(lie, command, status, lasted, seconds, memory, lines, faults);
    }

    /**
     * Starts a command.
     *
     * @param directory its working directory
     */
    static Process start(List<String> arguments, Path directory, File out, File err)
            throws IOException {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        words.addAll(List.of("-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED"));
        words.addAll(JAVA_OPTIONS);
        words.addAll(List.of("-cp", CLASS_PATH));
        words.add(Rpcrdma.class.getName());
        words.addAll(arguments);
        return new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(out)
                .redirectError(err)
                .start();
    }

    /** Waits for the end of a process up to its time limit. Returns its peak memory in KiB. */
    private long await(Process process, long start) throws InterruptedException {
        long most = 0;
        int seconds = lie.lasts(command) ? LASTS_SECONDS : SECONDS_MAX;
        long end = start + TimeUnit.SECONDS.toNanos(seconds);
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) && System.nanoTime() < end) {
            most = Math.max(most, memory(process.pid()));
        }
        return most;
    }

    private static long memory(long process) {
        try {
            for (var line : Files.readAllLines(Path.of("/proc/" + process + "/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        } catch (IOException _) {
            // The process has ended, or this is not Linux.
        }
        return 0;
    }

    private List<String> lines(byte[] printed) {
        try {
            var decoder = StandardCharsets.UTF_8.newDecoder();
            var text = decoder.decode(ByteBuffer.wrap(printed)).toString();
            if (text.codePoints().anyMatch(each -> Character.isISOControl(each) && each != '\n')) {
                faults.add("control characters on standard error");
            }
            return text.lines().toList();
        } catch (CharacterCodingException _) {
            faults.add("no UTF-8 on standard error");
            return List.of();
        }
    }

    private void check(List<String> lines) {
        for (var line : lines) {
            if (line.length() > LINE_MAX) {
                faults.add("a line of " + line.length() + " characters");
            }
            if (line.contains("internal error")
                    || line.contains("Exception")
                    || line.contains("Error")
                    || line.startsWith("\tat ")) {
                faults.add(line.length() > 200 ? line.substring(0, 200) : line);
            }
        }
        long reported = lines.stream().filter(line -> !isOfWait(line)).count();
        if (!command.isTree() && reported > 1) {
            faults.add(reported + " lines on standard error");
        }
    }

    /** Returns whether a line says that the command waits, and for what. */
    public static boolean isOfWait(String line) {
        return line.startsWith("reconnecting: ") || line.startsWith("rpcrdma: waiting for ");
    }

    /** Checks that the target holds only the requested copies, and no temporary files. */
    private void checkTarget(Path target) throws IOException {
        try (var all = Files.list(target)) {
            for (var each : all.toList()) {
                var name = each.getFileName().toString();
                if (!name.equals("copy") && !name.equals("over")) {
                    faults.add("leaves " + name);
                }
            }
        }
    }

    /** Returns all files outside one directory, with attributes that reveal a change. */
    private static TreeMap<String, String> state(Path directory, Path but) throws IOException {
        var state = new TreeMap<String, String>();
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes its)
                            throws IOException {
                        if (each.equals(but)) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        return each.equals(directory)
                                ? FileVisitResult.CONTINUE
                                : visitFile(each, its);
                    }

                    @Override
                    public FileVisitResult visitFile(Path each, BasicFileAttributes its)
                            throws IOException {
                        var found =
                                Files.readAttributes(
                                        each,
                                        "unix:mode,uid,size,ino,lastModifiedTime",
                                        LinkOption.NOFOLLOW_LINKS);
                        state.put(each.toString(), new TreeMap<>(found).toString());
                        return FileVisitResult.CONTINUE;
                    }
                });
        return state;
    }
}
