package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.dissect.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The output of a command about files: lines for people, or on request JSON for programs. Used by
 * one thread.
 */
public final class Output {
    /** Output is printed in portions of about this length, in characters. */
    private static final int PORTION_LENGTH = 1 << 16;

    @Option(
            names = "--json",
            description =
                    "Print JSON. A byte of a name that is not UTF-8 is \\udc80 to \\udcff, as Python"
                            + " has it.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private final QuotedName shown = new QuotedName(Terminal.isOutput());
    private final boolean isWatched = Terminal.isOutput();
    private final StringBuilder pending = new StringBuilder();
    private boolean hasList;
    private long failures;

    /** Returns whether the user wants JSON. */
    public boolean isJson() {
        return json;
    }

    /** Returns how names are shown to people. */
    public QuotedName names() {
        return shown;
    }

    /** Adds text, which ends its lines itself. */
    public void text(CharSequence text) {
        pending.append(text);
        // The whole output can be much longer than memory, and a person waits for it.
        if (pending.length() > PORTION_LENGTH || isWatched) {
            flush();
        }
    }

    /** Adds a line. */
    public void line(String line) {
        text(line + "\n");
    }

    /** Adds a JSON object of its own. */
    public void object(Map<String, ?> fields) {
        line(Json.of(fields));
    }

    /** Adds an element to the JSON array that is the whole output. */
    public void element(Map<String, ?> fields) {
        text((hasList ? "," : "[") + Json.of(fields));
        hasList = true;
    }

    /** Ends the JSON array, which may be empty. */
    public void endList() {
        text(hasList ? "]\n" : "[]\n");
        hasList = false;
    }

    /** Prints what was added, also before a failure that ends the command. */
    public void endEarly() {
        if (hasList) {
            endList();
        }
        flush();
    }

    /** Prints what was added. */
    public void flush() {
        var out = command.commandLine().getOut();
        out.print(pending);
        pending.setLength(0);
        out.flush();
    }

    /** Returns where messages go. */
    public PrintWriter err() {
        return command.commandLine().getErr();
    }

    /** Reports the failure of one file among several, after the output so far. */
    public void failed(IOException why) {
        failures++;
        flush();
        err().println("rpcrdma: " + FailureText.oneLine(why));
    }

    /** Counts failures that were reported already. */
    public void countFailures(long more) {
        failures += more;
    }

    /** Returns whether a failure was reported. */
    public boolean hasFailures() {
        return failures > 0;
    }
}
