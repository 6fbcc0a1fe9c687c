package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.metrics.MetricSamples;
import io.github.rpcrdma4j.cli.service.ControlOption;
import io.github.rpcrdma4j.cli.service.ControlRequest;
import io.github.rpcrdma4j.cli.terminal.FullScreen;
import io.github.rpcrdma4j.cli.terminal.Terminal;
import io.github.rpcrdma4j.dissect.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Show what a server does, each second. */
@Command(
        name = "top",
        description = "Show what a server does, each second, until the key q.",
        footer = {
            "",
            "Rates and times are those of the last second; p99 is the time that 99 of 100",
            "calls did not exceed. Without a terminal it prints once. The server has to run",
            "on this host, as this user.",
            "",
            "Example: rpcrdma top",
            "For programs: rpcrdma top --json --once"
        })
public final class TopCommand implements Callable<Integer> {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    @Mixin private final ControlOption control = new ControlOption();

    @Option(names = "--once", description = "Print the figures of one second, and end.")
    private boolean once;

    @Option(names = "--json", description = "Print a JSON object each second, one on a line.")
    private boolean json;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private MetricSamples last;
    private long lastTime;

    @Override
    public Integer call() throws IOException, InterruptedException {
        look();
        if (!json && !once && Terminal.isOutput()) {
            showUntilEnded();
        } else {
            do {
                TimeUnit.NANOSECONDS.sleep(lastTime + PAUSE_NANOS - System.nanoTime());
                print(spec.commandLine().getOut(), next());
            } while (json && !once);
        }
        return CommandLine.ExitCode.OK;
    }

    private void print(PrintWriter out, TopFigures figures) {
        if (json) {
            out.println(Json.of(figures.fields()));
        } else {
            TopScreen.UNBOUNDED.lines(name(), figures).forEach(out::println);
        }
        out.flush();
    }

    private void showUntilEnded() throws IOException, InterruptedException {
        try (var screen = new FullScreen(spec.commandLine().getOut(), System.in)) {
            screen.show(List.of(name(), "looking for one second ..."), List.of());
            while (!screen.isEndedUntil(lastTime + PAUSE_NANOS)) {
                var size = screen.size();
                var top = new TopScreen(size.columns(), size.rows());
                screen.show(top.lines(name(), next()), TopScreen.HEADS);
            }
        }
    }

    private String name() {
        return "rpcrdma top, server at " + control.path();
    }

    private TopFigures next() throws IOException {
        var before = last;
        long beforeTime = lastTime;
        look();
        return TopFigures.between(before, last, (lastTime - beforeTime) / NANOS);
    }

    private void look() throws IOException {
        var text = new StringWriter();
        control.ask(new ControlRequest.Metrics(), new PrintWriter(text));
        last = MetricSamples.parse(text.toString().lines());
        lastTime = System.nanoTime();
    }
}
