package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Goal: who looks for a decision finds it, and knows whether it holds. */
class DecisionsTest {
    private static final Path DECISIONS = ProjectTree.ROOT.resolve("docs/adr");
    private static final String INDEX = "README.md";
    private static final Pattern STATUS =
            Pattern.compile(
                    "Status: (in force|replaced by \\[ADR \\d+\\]\\(\\d{4}-[\\w-]+\\.md\\))\\.");

    private static List<Path> decisions() throws IOException {
        try (var files = Files.list(DECISIONS)) {
            return files.filter(each -> !each.endsWith(INDEX)).sorted().toList();
        }
    }

    @Test
    void eachDecisionSaysWhetherItHolds() throws IOException {
        for (var each : decisions()) {
            var status = ProjectTree.lines(each).get(2);
            assertTrue(STATUS.matcher(status).matches(), () -> each + ": " + status);
        }
    }

    @Test
    void theIndexNamesEachDecisionOnceByItsTitle() throws IOException {
        var index = Files.readString(DECISIONS.resolve(INDEX));
        for (var each : decisions()) {
            var title = ProjectTree.lines(each).getFirst().replaceFirst("^# (\\d+)\\. ", "");
            var name = each.getFileName().toString();
            int number = Integer.parseInt(name.substring(0, 4));
            var line = "| %d | [%s](%s) |".formatted(number, title, name);
            assertEquals(2, index.split(Pattern.quote(line), -1).length, line);
        }
    }
}
