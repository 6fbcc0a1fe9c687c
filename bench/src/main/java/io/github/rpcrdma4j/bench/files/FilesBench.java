package io.github.rpcrdma4j.bench.files;

import io.github.rpcrdma4j.dissect.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code bench/files}, which compares the servers of several builds.
 *
 * <p>Tests: {@code bench/files}.
 */
@Command(
        name = "bench/files",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures calls by NFS at the servers of several builds, one after the other.",
            "",
            "All servers export one directory, by RDMA on loopback. Each has its turn in each round,"
                    + " in a process that is started for it. The table has the median of the"
                    + " rounds, the minimum and the maximum, in microseconds for each call, and how"
                    + " much longer a call takes than at the first build."
        },
        footer = {
            "",
            "Calls: getattr, lookup, read-4k, read-1m, write-4k, write-1m, create, open.",
            "",
            "Examples:",
            "  bench/files old=../before new=.",
            "  bench/files sync=. async=.+async --calls create --callers 1:1,8:8"
        })
public final class FilesBench implements Callable<Integer> {
    private record LoadPoint(FileCall call, Callers callers) {}

    @Parameters(
            paramLabel = "NAME=DIRECTORY[+OPTIONS]",
            arity = "1..*",
            converter = Build.Converter.class,
            description =
                    "A checkout of this project, and options of its export as serve --allow takes"
                            + " them.")
    private List<Build> builds = List.of();

    @Option(names = "--calls", paramLabel = "CALLS", split = ",", description = "Only these calls.")
    private List<FileCall> calls = List.of(FileCall.values());

    @Option(
            names = "--callers",
            paramLabel = "THREADS:IDENTITIES",
            split = ",",
            converter = Callers.Converter.class,
            description = "How many threads call, as how many users in turn (1:1,8:1,8:2,8:64).")
    private List<Callers> callers =
            List.of(new Callers(1, 1), new Callers(8, 1), new Callers(8, 2), new Callers(8, 64));

    @Option(names = "--rounds", paramLabel = "COUNT", description = "Rounds (3).")
    private int rounds = 3;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description =
                    "How long a call is measured in each round (2), after a warm-up of half that time.")
    private double seconds = 2;

    @Option(
            names = "--directory",
            paramLabel = "DIRECTORY",
            description =
                    "Where the export is made, and removed at the end (a temporary directory).")
    private Path parent;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures as JSON.")
    private Path json;

    private final Map<LoadPoint, Map<Build, List<Double>>> found = new LinkedHashMap<>();

    /** Runs the command and ends the process with its status. */
    public static void main(String[] args) {
        System.exit(
                new CommandLine(new FilesBench())
                        .setExecutionExceptionHandler(FilesBench::failed)
                        .execute(args));
    }

    private static int failed(
            Exception failure, CommandLine command, CommandLine.ParseResult arguments) {
        command.getErr().println("bench/files: " + failure.getMessage());
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var prefix = "rpcrdma4j-files-";
        var export =
                parent == null
                        ? Files.createTempDirectory(prefix)
                        : Files.createTempDirectory(parent, prefix);
        try {
            ServedFiles.make(export);
            for (int round = 1; round <= rounds; round++) {
                for (var build : builds) {
                    System.err.printf("round %d of %d: %s%n", round, rounds, build.name());
                    measure(build, export);
                }
            }
        } finally {
            remove(export);
        }
        System.out.print(table());
        if (json != null) {
            Files.writeString(json, Json.of(figures()) + "\n");
        }
        return CommandLine.ExitCode.OK;
    }

    private void measure(Build build, Path export) throws IOException, InterruptedException {
        long nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        int identities = callers.stream().mapToInt(Callers::identities).max().orElseThrow();
        ServedFiles.removeCreated(export);
        try (var server = ServerProcess.start(build, export);
                var clients = Clients.connect(server.address(), identities)) {
            var files = ServedFiles.find(clients.first());
            for (var call : calls) {
                for (var who : callers) {
                    clients.measure(call, who, files, nanos / 2);
                    double micros = clients.measure(call, who, files, nanos);
                    found.computeIfAbsent(new LoadPoint(call, who), _ -> new LinkedHashMap<>())
                            .computeIfAbsent(build, _ -> new ArrayList<>())
                            .add(micros);
                }
            }
        }
    }

    private static void remove(Path export) throws IOException {
        try (var all = Files.walk(export)) {
            for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private String table() {
        var text = new StringBuilder("| call | threads:users |");
        builds.forEach(build -> text.append(' ').append(build.name()).append(" |"));
        text.append(" ratio |\n|---|---|").append("---|".repeat(builds.size() + 1)).append('\n');
        found.forEach(
                (point, figures) -> {
                    text.append("| ").append(point.call()).append(" | ");
                    text.append(point.callers()).append(" |");
                    double first = median(figures.get(builds.getFirst()));
                    var ratios = new ArrayList<String>();
                    for (var build : builds) {
                        var sorted = figures.get(build).stream().sorted().toList();
                        double median = median(sorted);
                        text.append(
                                String.format(
                                        " %.1f (%.1f-%.1f) |",
                                        median, sorted.getFirst(), sorted.getLast()));
                        ratios.add(String.format("%.2f", median / first));
                    }
                    text.append(' ').append(String.join(" ", ratios.subList(1, ratios.size())));
                    text.append(" |\n");
                });
        return text.toString();
    }

    private static double median(List<Double> figures) {
        var sorted = figures.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private List<Map<String, Object>> figures() {
        var all = new ArrayList<Map<String, Object>>();
        found.forEach(
                (point, figures) ->
                        figures.forEach(
                                (build, micros) -> {
                                    var each = new LinkedHashMap<String, Object>();
                                    each.put("call", point.call().toString());
                                    each.put("threads", point.callers().threads());
                                    each.put("identities", point.callers().identities());
                                    each.put("build", build.name());
                                    each.put("micros", micros);
                                    all.add(each);
                                }));
        return all;
    }
}
