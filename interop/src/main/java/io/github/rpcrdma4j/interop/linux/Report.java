package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/** Every outcome of a run, as a table. */
record Report(List<Outcome> outcomes) {
    boolean passed() {
        return !outcomes.isEmpty() && outcomes.stream().allMatch(Outcome::passed);
    }

    void print(PrintWriter out) {
        for (var outcome : outcomes) {
            out.printf(
                    "%-6s  %-40s %s%n",
                    outcome.passed() ? "passed" : "FAILED", outcome.cell().name(), outcome.check());
        }
        out.flush();
    }

    void write(Path document, Path image) throws IOException {}
}
