package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.cli.hostile.HostileTrials;
import io.github.rpcrdma4j.cli.hostile.Trial;
import io.github.rpcrdma4j.cli.hostile.TrialCommand;
import io.github.rpcrdma4j.cli.hostile.TrialReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs commands against lying servers of version 4, each in a process with a small heap, over RDMA
 * and over TCP, for {@code dev/evil}. The servers run in this process.
 */
public final class CompoundTrials {
    private CompoundTrials() {}

    /**
     * Runs the trials, or lists the lies.
     *
     * @param args {@code --list}; or the number of simultaneous trials, and lies and commands in
     *     any order. Without any lie all lies are tried; without any command those that meet a lie.
     */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("--list")) {
            CompoundLies.all().forEach(System.out::println);
            return;
        }
        var words = new ArrayList<>(List.of(args).subList(1, args.length));
        var commands = new TreeSet<TrialCommand>();
        for (var command : TrialCommand.values()) {
            if (words.remove(command.word())) {
                commands.add(command);
            }
        }
        var lies = lies(words);
        var work = Files.createTempDirectory("evil");
        boolean isRight;
        try {
            isRight = TrialReport.table(run(lies, commands, work, Integer.parseInt(args[0])));
        } finally {
            HostileTrials.delete(work);
        }
        System.exit(isRight ? 0 : 1);
    }

    private static List<CompoundLie> lies(List<String> words) {
        var all = CompoundLies.all();
        for (var word : words) {
            if (all.stream().noneMatch(each -> each.word().equals(word))) {
                TrialReport.refuse(word);
            }
        }
        return words.isEmpty()
                ? all
                : all.stream().filter(each -> words.contains(each.word())).toList();
    }

    private static List<Trial.Outcome> run(
            List<CompoundLie> lies, Set<TrialCommand> commands, Path work, int beside)
            throws Exception {
        var source = work.resolve("source");
        Trial.fill(source);
        var outcomes = new ArrayList<Trial.Outcome>();
        try (var threads = Executors.newFixedThreadPool(beside)) {
            var running = new ArrayList<Future<Trial.Outcome>>();
            int number = 0;
            for (var lie : lies) {
                for (var command : commands.isEmpty() ? lie.first() : commands) {
                    for (boolean isOverTcp : new boolean[] {false, true}) {
                        var directory = work.resolve("trial-" + number++);
                        running.add(
                                threads.submit(
                                        () -> run(lie, command, isOverTcp, directory, source)));
                    }
                }
            }
            for (var each : running) {
                var outcome = each.get();
                outcomes.add(outcome);
                System.out.println(TrialReport.line(outcome));
            }
        }
        return outcomes;
    }

    private static Trial.Outcome run(
            CompoundLie lie, TrialCommand command, boolean isOverTcp, Path directory, Path source)
            throws IOException, InterruptedException {
        var tree = ServedTree.in(directory.resolve("served"));
        var place = Files.createDirectory(directory.resolve("place"));
        try (var server = new LyingServer(tree.root(), lie.lying().get(), isOverTcp)) {
            var outcome = new Trial(lie, command, place, source).run(server.url(), lie::words);
            boolean isRight = outcome.status() == 0 && lie.isRight();
            if (isRight) {
                outcome.faults().addAll(tree.faults(command, place.resolve("target"), source));
            }
            if (outcome.status() != 0 && lie.kind() == CompoundLie.Kind.HARMLESS) {
                outcome.faults().add("fails, although the server does what servers do");
            }
            return outcome;
        } finally {
            HostileTrials.delete(directory);
        }
    }
}
