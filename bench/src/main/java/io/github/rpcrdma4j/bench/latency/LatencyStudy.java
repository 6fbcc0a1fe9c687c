package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.report.Spread;
import io.github.rpcrdma4j.bench.round.Progress;
import io.github.rpcrdma4j.bench.round.RoundTiming;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures the cost of a call for each transfer model, at several distances. It counts round trips
 * in a simulated world, and measures times over loopback with a relay that delays. Both ends and
 * the relay are in this process. The models take turns, round after round.
 *
 * <p>Tests: {@code bench/run}.
 *
 * @param files additional files for the figures
 */
public record LatencyStudy(RoundTiming timing, PrintStream out, Progress progress, Files files) {
    private static final List<Long> DELAYS =
            List.of(micros(20), micros(100), micros(1000), micros(10_000));

    private static final long PAGE = 4096;

    /**
     * The divisor of a round's time. Turns are shorter than in the table: there are many, with one
     * call at a time.
     */
    private static final int TURNS = 6;

    /** The files to write, if any. */
    public record Files(Optional<Path> json, Optional<Path> svg) {}

    private static long micros(long count) {
        return TimeUnit.MICROSECONDS.toNanos(count);
    }

    /** Measures and prints the findings. */
    public void run() throws IOException {
        try {
            var findings = findings();
            measure(findings);
            report(findings);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Returns the findings of the simulated world, for all models of all transfers. */
    private List<Finding> findings() throws IOException, InterruptedException {
        progress.phase("in a simulated world");
        var memory = memory();
        var findings = new ArrayList<Finding>();
        for (var transfer : Transfer.values()) {
            for (var model : models(transfer)) {
                var costs = new TreeMap<Long, CallCosts>();
                for (long delay : DELAYS) {
                    try (var ends = new SimulatedEnds(model, delay)) {
                        costs.put(delay, ends.measure(transfer, memory));
                    }
                }
                findings.add(new Finding(transfer, model, costs, new TreeMap<>()));
            }
        }
        return findings;
    }

    private static List<TransferModel> models(Transfer transfer) {
        return Arrays.stream(TransferModel.values())
                .filter(model -> model.moves(transfer))
                .toList();
    }

    private static MemorySegment memory() {
        return Arena.ofAuto().allocate(Transfer.LONGEST, PAGE);
    }

    /** Adds the times over loopback. */
    private void measure(List<Finding> findings) throws IOException, InterruptedException {
        var memory = memory();
        var ends = new EnumMap<TransferModel, RelayedEnds>(TransferModel.class);
        try {
            for (var model : TransferModel.values()) {
                ends.put(model, new RelayedEnds(model));
            }
            progress.phase("warming up");
            for (var finding : findings) {
                ends.get(finding.model()).run(finding.transfer(), memory, timing.warmUpNanos());
            }
            measure(findings, ends, memory, 0);
            for (long delay : DELAYS) {
                measure(findings, ends, memory, delay);
            }
        } finally {
            for (var each : ends.values()) {
                each.close();
            }
        }
    }

    private void measure(
            List<Finding> findings,
            Map<TransferModel, RelayedEnds> ends,
            MemorySegment memory,
            long delay)
            throws IOException, InterruptedException {
        progress.phase("over loopback, " + LatencyTable.millis(delay) + " ms added each way");
        for (var each : ends.values()) {
            each.delay(delay);
        }
        var medians = new IdentityHashMap<Finding, List<Double>>();
        for (int round = 0; round < timing.rounds(); round++) {
            for (var finding : findings) {
                progress.step(finding.transfer().words() + ", " + finding.model().words(), 0);
                var times =
                        ends.get(finding.model())
                                .run(finding.transfer(), memory, timing.roundNanos() / TURNS);
                medians.computeIfAbsent(finding, _ -> new ArrayList<>())
                        .add(Spread.of(times).median());
            }
        }
        progress.clear();
        medians.forEach((finding, all) -> finding.micros().put(delay, Spread.of(all)));
    }

    private void report(List<Finding> findings) throws IOException {
        out.print(LatencyTable.head(List.copyOf(findings.getFirst().micros().keySet())));
        for (var transfer : Transfer.values()) {
            out.print(
                    LatencyTable.block(
                            transfer,
                            findings.stream()
                                    .filter(each -> each.transfer() == transfer)
                                    .toList()));
        }
        if (files.json().isPresent()) {
            java.nio.file.Files.writeString(files.json().get(), LatencyJson.of(findings));
        }
        if (files.svg().isPresent()) {
            java.nio.file.Files.writeString(files.svg().get(), LatencyChart.of(findings));
        }
    }
}
