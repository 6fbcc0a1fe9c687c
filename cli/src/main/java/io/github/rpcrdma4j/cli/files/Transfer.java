package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Output;
import io.github.rpcrdma4j.cli.terminal.Plan;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.cli.terminal.SizeText;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.copy.PreservedAttributes;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The course of a command that copies, with the options that all of these share.
 *
 * <p>Tests: {@code SelectedCopiesTest}, {@code CutCopiesTest}.
 */
final class Transfer {
    @Option(
            names = "--bwlimit",
            paramLabel = "RATE",
            description =
                    "Copy at most so much per second, such as 500K or 10M; a number alone counts KiB, as"
                            + " in rsync.")
    private String rate;

    @Mixin private final Output output = new Output();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private Plan plan;

    /** How copies are made. */
    enum Mode {
        /** From the start. */
        USUAL,
        /** Not at all: the plan is printed. */
        TRIAL,
        /** From where an earlier copy ended. */
        RESUMED
    }

    /** Makes the copies, once everything is set up. */
    interface Work {
        void run(Copies copies) throws IOException, InterruptedException;
    }

    /** Returns where the results go. */
    Output output() {
        return output;
    }

    /** Adds a step to the plan of a copy that is only tried. */
    void plan(CopyListener.Step step, String name, long bytes) {
        plan.add(step, name, bytes);
    }

    private String rateText() {
        return rate.matches("[0-9]+") ? rate + "K" : rate;
    }

    private long rate() {
        long bytes = rate == null ? Long.MAX_VALUE : SizeText.parse(rateText());
        if (bytes < 1) {
            throw new IllegalArgumentException("--bwlimit must be positive");
        }
        return bytes;
    }

    /** Returns what a lost connection leaves, and what helps, as the end of a line. */
    private String cut(Copies copies, Progress progress, Mode mode) {
        boolean couldKeep =
                mode != Mode.RESUMED
                        && command.findOption("--resume") != null
                        && !copies.areResumable();
        return "the copy of "
                + Printable.line(copies.cut().orElseThrow())
                + " is not complete"
                + progress.incomplete()
                + copies.left()
                + (couldKeep ? "; with --resume, those of large files are kept" : "")
                + "; with --retry SECONDS, a copy waits for a server that restarts";
    }

    /** Returns what the user ended, and what copies the rest, as a part of a line. */
    private static String ended(Copies copies, boolean isSync, PreservedAttributes kept) {
        if (copies.current().isEmpty()) {
            return "";
        }
        var rest =
                isSync
                        ? "; the same command copies the rest"
                        : kept.equals(PreservedAttributes.PERMISSIONS)
                                ? ""
                                : "; sync copies the rest";
        return "; the copy of "
                + Printable.line(copies.current().get())
                + " is not complete"
                + (copies.areResumable() ? "" : rest);
    }

    /**
     * Makes copies, shows their progress, and prints the totals at the end.
     *
     * @param progress closed at the end
     * @return the exit code
     */
    int run(
            String name,
            Remote remote,
            PreservedAttributes kept,
            Mode mode,
            Progress progress,
            Work work)
            throws IOException, InterruptedException {
        var options = remote.options().withRate(rate());
        plan = new Plan(output, output.err()::println);
        progress.setPlan(plan);
        progress.setNamed(remote.isVerbose());
        remote.showIn(progress);
        var next = mode == Mode.RESUMED ? " goes on with it, or removes it" : " removes it";
        var unfinished = "a temporary file may be left; the next " + name + next;
        try (progress;
                var _ = CleanUp.watch(unfinished, progress::println);
                remote;
                var copies = new Copies(remote, options, progress, kept, mode == Mode.RESUMED)) {
            try {
                work.run(copies);
                var totals = progress.finish();
                if (mode == Mode.TRIAL) {
                    plan.finish();
                } else {
                    output.err().println(totals);
                    if (output.isJson()) {
                        output.object(progress.json());
                        output.flush();
                    }
                }
                return copies.isIncomplete()
                        ? CommandLine.ExitCode.SOFTWARE
                        : CommandLine.ExitCode.OK;
            } catch (IOException failed) {
                if (copies.cut().isPresent()) {
                    progress.finish();
                    var words = FailureText.oneLine(failed) + "; " + cut(copies, progress, mode);
                    throw new IOException(words, failed);
                }
                if (copies.areResumable()) {
                    progress.println("rpcrdma: what was copied is kept for the same command");
                }
                throw failed;
            } catch (InterruptedException _) {
                output.err()
                        .println(
                                "rpcrdma: interrupted after "
                                        + progress.finish()
                                        + progress.incomplete()
                                        + ended(copies, name.equals("sync"), kept)
                                        + copies.left());
                return CommandLine.ExitCode.SOFTWARE;
            }
        }
    }
}
