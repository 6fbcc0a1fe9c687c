package io.github.rpcrdma4j.cli.hostile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Runs commands against hostile servers, several at a time, for {@code dev/evil}. The servers run
 * in this process.
 */
public final class HostileTrials {
    private HostileTrials() {}

    /**
     * Runs trials, and removes their files.
     *
     * @param work an empty directory
     * @param beside number of trials that run at the same time
     * @param report receives each outcome, from one thread at a time
     */
    static void run(
            Map<Lie, Set<TrialCommand>> trials,
            Path work,
            int beside,
            Consumer<Trial.Outcome> report)
            throws Exception {
        var source = work.resolve("source");
        Trial.fill(source);
        try (var threads = Executors.newFixedThreadPool(beside)) {
            for (var each : trials.entrySet()) {
                try (var server = new HostileServer(each.getKey().deviations)) {
                    var outcomes = new ArrayList<Future<Trial.Outcome>>();
                    for (var command : each.getValue()) {
                        outcomes.add(
                                threads.submit(
                                        trial(each.getKey(), command, server.url(), work, source)));
                    }
                    for (var outcome : outcomes) {
                        report.accept(get(outcome));
                    }
                }
            }
        }
    }

    private static Trial.Outcome get(Future<Trial.Outcome> outcome) throws Exception {
        try {
            return outcome.get();
        } catch (ExecutionException failure) {
            throw new IOException("a trial cannot be made: " + failure.getCause(), failure);
        }
    }

    private static Callable<Trial.Outcome> trial(
            Lie lie, TrialCommand command, String url, Path work, Path source) {
        return () -> {
            var directory = Files.createDirectory(work.resolve(lie + "-" + command));
            try {
                return new Trial(lie, command, directory, source).run(url);
            } finally {
                delete(directory);
            }
        };
    }

    /** Removes a tree with {@code rm}, because the tree may be deeper than the longest path. */
    public static void delete(Path tree) throws IOException, InterruptedException {
        new ProcessBuilder("rm", "-rf", tree.toString()).inheritIO().start().waitFor();
    }

    /**
     * Runs the commands of {@code dev/evil}.
     *
     * @param args {@code --list}; or {@code --serve} and a lie, to serve until standard input ends;
     *     or the number of simultaneous trials, optionally {@code --quick}, and lies and commands
     *     in any order. Without any lie all lies are tried; without any command all commands.
     */
    public static void main(String[] args) throws Exception {
        var words = new ArrayDeque<>(List.of(args));
        switch (words.removeFirst()) {
            case "--list" -> {
                Arrays.stream(Lie.values()).map(Lie::word).forEach(System.out::println);
                System.out.println();
                Arrays.stream(TrialCommand.values())
                        .map(TrialCommand::word)
                        .forEach(System.out::println);
            }
            case "--serve" -> {
                try (var server = new HostileServer(Lie.valueOf(name(words.remove())).deviations)) {
                    System.out.println(server.url());
                    System.in.transferTo(OutputStream.nullOutputStream());
                }
            }
            case String beside -> System.exit(runAll(Integer.parseInt(beside), words));
        }
    }

    private static String name(String word) {
        return word.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static int runAll(int beside, Deque<String> words) throws Exception {
        boolean quick = words.removeFirstOccurrence("--quick");
        var lies = EnumSet.noneOf(Lie.class);
        var commands = EnumSet.noneOf(TrialCommand.class);
        for (var word : words) {
            var name = name(word);
            if (Arrays.stream(Lie.values()).anyMatch(each -> each.name().equals(name))) {
                lies.add(Lie.valueOf(name));
            } else if (Arrays.stream(TrialCommand.values())
                    .anyMatch(each -> each.name().equals(name))) {
                commands.add(TrialCommand.valueOf(name));
            } else {
                TrialReport.refuse(word);
            }
        }
        var all = commands.isEmpty() ? EnumSet.allOf(TrialCommand.class) : commands;
        var trials = new EnumMap<Lie, Set<TrialCommand>>(Lie.class);
        for (var lie : lies.isEmpty() ? EnumSet.allOf(Lie.class) : lies) {
            trials.put(lie, quick ? lie.first : all);
        }
        var work = Files.createTempDirectory("evil");
        var outcomes = new ArrayList<Trial.Outcome>();
        try {
            run(
                    trials,
                    work,
                    beside,
                    outcome -> {
                        outcomes.add(outcome);
                        System.out.println(TrialReport.line(outcome));
                    });
        } finally {
            delete(work);
        }
        return TrialReport.table(outcomes) ? 0 : 1;
    }
}
