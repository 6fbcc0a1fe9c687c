package io.github.rpcrdma4j.bench;

import io.github.rpcrdma4j.bench.latency.LatencyStudy;
import io.github.rpcrdma4j.bench.report.Chart;
import io.github.rpcrdma4j.bench.report.Goals;
import io.github.rpcrdma4j.bench.report.JsonRows;
import io.github.rpcrdma4j.bench.report.LoadPoint;
import io.github.rpcrdma4j.bench.report.Row;
import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.report.Table;
import io.github.rpcrdma4j.bench.round.MeasuringLoop;
import io.github.rpcrdma4j.bench.round.Pairs;
import io.github.rpcrdma4j.bench.round.Progress;
import io.github.rpcrdma4j.bench.round.RoundTiming;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import io.github.rpcrdma4j.bench.study.Study;
import io.github.rpcrdma4j.bench.study.SyscallStudy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code bench/run}. */
@Command(
        name = "bench/run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures rpcrdma4j beside a plain TCP exchange, oncrpc4j, gRPC and its own NFS server.",
            "",
            "Each side of each stack is a process of its own; the stacks take turns, round after"
                    + " round, and the report has medians. Compare figures of one run only."
        },
        footer = {
            "",
            "Stacks: tcp, tcp-crc, oncrpc4j, oncrpc4j-callbacks, grpc, rpcrdma4j, nfs-rdma,",
            "nfs-tcp, nfs4-rdma, nfs4-tcp, nfs-relay, nfs-gateway-to-tcp, nfs-gateway-to-rdma.",
            "Works: null, read-4k, read-64k, read-1m, write-4k, write-64k, write-1m, copy-1g,",
            "open (version 4 only).",
            "",
            "Examples:",
            "  bench/run --json figures.json --svg figures.svg",
            "  bench/run --quick --only rpcrdma4j,tcp --work null,read-1m --outstanding 8 --crc on",
            "  bench/run --only nfs-tcp,nfs-relay,nfs-gateway-to-tcp --work null --outstanding 1",
            "  bench/run --only nfs-rdma,nfs4-rdma --work read-4k,read-1m,write-1m --outstanding 8",
            "  bench/run --study growth",
            "  bench/run --study latency --json latency.json --svg latency.svg",
            "  bench/run --quick --only rpcrdma4j --work read-1m --outstanding 8 --java \\",
            "    -XX:StartFlightRecording=dumponexit=true,filename=/tmp/%%p.jfr",
            "  bench/run --syscalls --only rpcrdma4j --work read-1m --outstanding 8"
        })
public final class Bench implements Callable<Integer> {
    private static final List<Integer> OUTSTANDING = List.of(1, 8, 64);

    /** The selection among series that can run with and without a CRC. */
    enum Crc {
        ON,
        OFF,
        BOTH
    }

    @Option(names = "--quick", description = "Fewer and shorter rounds, a smaller file.")
    private boolean quick;

    @Option(
            names = "--only",
            paramLabel = "STACKS",
            split = ",",
            description = "Only these stacks. Without it, all but the last three.")
    private List<Stack> only = Stack.usual();

    @Option(names = "--work", paramLabel = "WORKS", split = ",", description = "Only these works.")
    private List<Work> works = List.of(Work.values());

    @Option(
            names = "--outstanding",
            paramLabel = "COUNTS",
            split = ",",
            description = "Outstanding calls (1,8,64).")
    private List<Integer> outstanding = OUTSTANDING;

    @Option(
            names = "--crc",
            paramLabel = "on|off|both",
            defaultValue = "both",
            description = "Our own stacks with CRCs, without, or both (${DEFAULT-VALUE}).")
    private Crc crc;

    @Option(names = "--rounds", paramLabel = "COUNT", description = "Rounds (7; quick: 3).")
    private Integer rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the medians as JSON.")
    private Path json;

    @Option(names = "--svg", paramLabel = "FILE", description = "Write a chart.")
    private Path svg;

    @Option(
            names = "--study",
            paramLabel = "STUDIES",
            split = ",",
            description =
                    "Instead of the table: setup, connections, idle, growth, latency. A full run of"
                            + " the table ends with the first three.")
    private List<Study> studies = List.of();

    @Option(
            names = "--syscalls",
            description = "Instead of the table: count system calls with strace.")
    private boolean syscalls;

    @Option(
            names = "--java",
            paramLabel = "OPTION",
            description = "Give every measured process this option; for profilers.")
    private List<String> javaOptions = List.of();

    private Bench() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(Bench::failed);
    }

    private static int failed(
            Exception failure, CommandLine command, CommandLine.ParseResult arguments) {
        command.getErr().println("bench/run: " + failure.getMessage());
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public Integer call() throws IOException {
        var timing = quick ? RoundTiming.QUICK : RoundTiming.FULL;
        if (rounds != null) {
            timing = timing.withRounds(rounds);
        }
        try (var pairs = new Pairs(javaOptions)) {
            if (syscalls) {
                new SyscallStudy(context(pairs, timing, series()), points()).run();
            } else if (!studies.isEmpty()) {
                study(studies, pairs, timing);
            } else {
                table(pairs, timing);
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private Study.Context context(Pairs pairs, RoundTiming timing, List<Series> series) {
        return new Study.Context(
                pairs,
                timing,
                series,
                System.out,
                new Progress(System.err, 0),
                new LatencyStudy.Files(Optional.ofNullable(json), Optional.ofNullable(svg)));
    }

    private void study(List<Study> wanted, Pairs pairs, RoundTiming timing) throws IOException {
        // Callbacks make a difference only with many calls on one connection, which no study makes.
        var series =
                series().stream().filter(each -> each.stack() != Stack.ONCRPC4J_CALLBACKS).toList();
        for (var each : wanted) {
            each.run(context(pairs, timing, series));
        }
    }

    private List<LoadPoint> points() {
        return MeasuringLoop.points(works, outstanding);
    }

    private void table(Pairs pairs, RoundTiming timing) throws IOException {
        var loop = new MeasuringLoop(pairs, timing, series(), points(), 1);
        System.out.println(Limits.text());
        var progress = new Progress(System.err, loop.plannedNanos());
        var rows =
                loop.run(progress, (point, block) -> System.out.print(Table.block(point, block)));
        System.out.println(copies());
        System.out.print(Goals.text(rows));
        write(rows);
        if (isFull()) {
            study(List.of(Study.SETUP, Study.CONNECTIONS, Study.IDLE), pairs, timing);
        }
    }

    /** Returns whether the run measures everything in the table, with rounds of full length. */
    boolean isFull() {
        return !quick
                && only.equals(Stack.usual())
                && works.size() == Work.values().length
                && outstanding.equals(OUTSTANDING)
                && crc == Crc.BOTH;
    }

    private String copies() {
        return only.stream()
                .map(stack -> stack.label() + " " + stack.copies())
                .collect(
                        Collectors.joining(
                                ", ",
                                String.format(
                                        "%nCopies of payload of 64 KiB and more in user space,"
                                                + " both sides together, by their code: "),
                                "."));
    }

    private List<Series> series() {
        return Series.all().stream()
                .filter(each -> only.contains(each.stack()))
                .filter(
                        each ->
                                crc == Crc.BOTH
                                        || !each.stack().hasCrcChoice()
                                        || each.crc() == (crc == Crc.ON))
                .toList();
    }

    private void write(List<Row> rows) throws IOException {
        if (json != null) {
            Files.writeString(json, JsonRows.of(rows));
        }
        if (svg != null) {
            Files.writeString(svg, Chart.of(rows));
        }
    }
}
