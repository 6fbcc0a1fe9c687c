package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.client.copy.CopyListener.Step;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.function.Consumer;

/** What a copy would do that is only tried: printed, and added up. Thread-safe. */
public final class Plan {
    private final Output output;
    private final Consumer<String> printer;
    private long files;
    private long bytes;
    private long removed;

    /**
     * Creates an empty plan.
     *
     * @param printer receives the totals
     */
    public Plan(Output output, Consumer<String> printer) {
        this.output = output;
        this.printer = printer;
    }

    /** Adds and prints a step. */
    public synchronized void add(Step step, String name, long count) {
        var words =
                switch (step) {
                    case COPY -> {
                        files++;
                        bytes += count;
                        yield "copy";
                    }
                    case SET_ATTRIBUTES -> "set the attributes of";
                    case MAKE_DIRECTORY -> "make the directory";
                    case DELETE -> {
                        removed++;
                        yield "remove";
                    }
                };
        if (output.isJson()) {
            var json = new LinkedHashMap<String, Object>();
            json.put("step", step.name().toLowerCase(Locale.ROOT));
            json.put("path", name);
            json.put("bytes", count);
            output.element(json);
        } else {
            output.line("would " + words + " " + Printable.line(name));
        }
    }

    /** Prints the rest and the totals. */
    public synchronized void finish() {
        if (output.isJson()) {
            output.endList();
        }
        output.flush();
        printer.accept(
                "nothing was changed; it would copy %s, %s%s"
                        .formatted(
                                Count.words(files, "file"),
                                ByteCount.words(bytes),
                                removed == 0 ? "" : ", and remove " + removed));
    }
}
