package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.hostile.Trial;
import io.github.rpcrdma4j.cli.hostile.TrialCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs one command in this process at one lying server, and checks how it ends. */
final class CompoundTrial {
    private static final int LINE_MAX = 1 << 15;

    /** How long a command may take: it waits for a recovery of two leases at most. */
    private static final long SECONDS_MAX = 60;

    /** The deadline of calls that must succeed, on a busy machine. */
    private static final int PATIENT_SECONDS = 10;

    private final CompoundLie lie;
    private final TrialCommand command;
    private final boolean isOverTcp;
    private final Path directory;
    private final Path source;
    private final List<String> faults = new ArrayList<>();

    CompoundTrial(
            CompoundLie lie, TrialCommand command, boolean isOverTcp, Path directory, Path source) {
        this.lie = lie;
        this.command = command;
        this.isOverTcp = isOverTcp;
        this.directory = directory;
        this.source = source;
    }

    /**
     * What became of it.
     *
     * @param faults the violated expectations; empty if the trial passes
     */
    record Outcome(
            String name, int status, double seconds, List<String> lines, List<String> faults) {}

    Outcome run() throws Exception {
        var tree = ServedTree.in(Files.createDirectory(directory.resolve("served")));
        var target = Files.createDirectory(directory.resolve("target"));
        var canary = Files.createDirectories(directory.resolve("canary"));
        Files.writeString(canary.resolve("kept"), "kept");
        var over = Files.createDirectories(target.resolve("over/data"));
        Files.createSymbolicLink(over.resolve("file"), Path.of("../../../canary/kept"));
        var console = new Console();
        var status = new int[] {-1};
        long start = System.nanoTime();
        try (var server = new LyingServer(tree.root(), lie.lying().get(), isOverTcp)) {
            var words = words(server.url(), target);
            var running =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> status[0] = console.run(words.toArray(String[]::new)));
            if (!running.join(java.time.Duration.ofSeconds(SECONDS_MAX))) {
                faults.add("does not end");
                running.interrupt();
                running.join(TimeUnit.SECONDS.toMillis(5));
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        var lines = console.errLines();
        check(lines, status[0]);
        if (status[0] == 0 && lie.isRight()) {
            faults.addAll(tree.faults(command, target, source));
        }
        if (!Files.readString(canary.resolve("kept")).equals("kept")
                || canary.toFile().list().length != 1) {
            faults.add("changes what is outside the target");
        }
        for (var each : target.toFile().list()) {
            if (!each.equals("copy") && !each.equals("over")) {
                faults.add("leaves " + each);
            }
        }
        return new Outcome(name(), status[0], seconds, lines, faults);
    }

    String name() {
        return lie + (isOverTcp ? " TCP " : " RDMA ") + command;
    }

    private List<String> words(String url, Path target) {
        int deadline = lie.kind() == CompoundLie.Kind.HARMLESS ? PATIENT_SECONDS : 1;
        var words = lie.words(command.arguments(url, source.toString(), deadline));
        words.replaceAll(
                word ->
                        word.equals("copy") || word.startsWith("over")
                                ? target.resolve(word).toString()
                                : word);
        return words;
    }

    private void check(List<String> lines, int status) {
        // The command line is right, so none ends with 2.
        if (status != 0 && status != 1) {
            faults.add("ends with " + status);
        }
        if (lie.kind() == CompoundLie.Kind.HARMLESS && status != 0) {
            faults.add("fails, although the server does what servers do");
        }
        if (status != 0 && lines.isEmpty()) {
            faults.add("fails without a word");
        }
        for (var line : lines) {
            if (line.length() > LINE_MAX) {
                faults.add("a line of " + line.length() + " characters");
            }
            if (line.contains("internal error")
                    || line.contains("Exception")
                    || line.contains("Error")
                    || line.startsWith("\tat ")) {
                faults.add(line.length() > 300 ? line.substring(0, 300) : line);
            }
            if (line.codePoints().anyMatch(Character::isISOControl)) {
                faults.add("control characters on standard error");
            }
        }
        long reported = lines.stream().filter(line -> !Trial.isOfWait(line)).count();
        if (!command.isTree() && reported > 1) {
            faults.add(reported + " lines on standard error");
        }
    }
}
