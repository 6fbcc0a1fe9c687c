package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.StandardOutput;
import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** The options that have a server print reports about itself. */
public final class ReportOptions {
    @Option(
            names = "--report",
            paramLabel = "SECONDS",
            description =
                    "Print resources, connections and calls (serve: those over RDMA) every"
                            + " SECONDS.")
    private Integer seconds;

    @Option(names = "--json", description = "With --report: print JSON objects, one on a line.")
    private boolean json;

    private final FailureLog failures =
            new FailureLog(System.getLogger(ReportOptions.class.getName()));

    /** What a server has done and holds, at one moment. */
    public interface Report {
        /** Returns the fields of the JSON object. */
        Map<String, Object> fields();

        /** Returns one line for a user. */
        String words();
    }

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if the time is less than one second, or there are no reports
     *     to print as JSON
     */
    public void requirePossible() {
        if (seconds == null && json) {
            throw new IllegalArgumentException("--json needs --report: only reports are JSON");
        }
        if (seconds != null && seconds < 1) {
            throw new IllegalArgumentException("--report must be positive");
        }
    }

    /** Returns the seconds between two reports; empty: there are none. */
    public Optional<Integer> period() {
        return Optional.ofNullable(seconds);
    }

    /**
     * Prints a report. A failure of it does not stop the server, unless the reader has gone.
     *
     * @param taken makes the report
     * @throws StandardOutput.Failed if the reader has gone
     */
    public void print(PrintWriter out, Supplier<Report> taken) {
        try {
            var report = taken.get();
            out.println(json ? Json.of(report.fields()) : report.words());
            out.flush();
        } catch (RuntimeException | Error failed) {
            if (StandardOutput.isReaderGone(failed)) {
                throw failed;
            }
            failures.report("the report failed", failed);
        }
    }
}
