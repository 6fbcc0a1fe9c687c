package io.github.rpcrdma4j.interop.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.interop.matrix.Cell.Direction;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a report has the outcomes of the checks. Method: outcomes made by hand. */
class ReportTest {
    @TempDir private Path directory;

    private static Outcome outcome(Variant variant, boolean crc, Check check, String... failures) {
        return new Outcome(
                new Cell(Direction.LINUX_CLIENT, variant, crc),
                check,
                failures.length == 0,
                List.of(failures),
                List.of("a note"),
                Duration.ofSeconds(1));
    }

    @Test
    void namesCellsWithoutBlanksAndEachOnce() {
        var names = Cell.all().stream().map(Cell::name).toList();
        assertEquals(names.size(), names.stream().distinct().count());
        assertTrue(names.contains("linux-client-large-segments-no-crc"), names::toString);
        assertTrue(names.stream().noneMatch(name -> name.contains(" ")));
    }

    @Test
    void failsIfAnyCheckFailedOrNoneWasMade() {
        var good = outcome(Variant.AS_SHIPPED, true, Check.MOUNT);
        var bad = outcome(Variant.GSO, true, Check.NAMES, "a reason");
        assertTrue(new Report(List.of(good)).passed());
        assertFalse(new Report(List.of(good, bad)).passed());
        assertFalse(new Report(List.of()).passed());
        var out = new StringWriter();
        new Report(List.of(good, bad)).print(new PrintWriter(out));
        assertTrue(out.toString().contains("FAILED: names"), out::toString);
        assertTrue(out.toString().contains("1 of 2 checks passed"), out::toString);
    }

    @Test
    void writesAFieldForEveryVariantOfACheck() throws Exception {
        var page = directory.resolve("page.md");
        new Report(
                        List.of(
                                outcome(Variant.AS_SHIPPED, true, Check.MOUNT),
                                outcome(Variant.AS_SHIPPED, false, Check.MOUNT),
                                outcome(Variant.GSO, false, Check.MOUNT)))
                .write(page, "6.12", "on 2026-01-02");
        var text = Files.readString(page);
        assertTrue(text.contains("| mount | yes |  |  | without CRC |  |  |"), text);
        assertTrue(text.contains("last run, on 2026-01-02."), text);
        assertTrue(text.contains("`BindingsTest."), text);
        assertTrue(text.contains("](suites.md)"), text);
    }

    @Test
    void readsOutcomesOfAnotherProcessBack() {
        var outcomes =
                List.of(
                        outcome(Variant.GSO, true, Check.NAMES, "one reason", "two\nlines"),
                        outcome(Variant.GSO, true, Check.MOUNT));
        var cell = outcomes.getFirst().cell();
        assertEquals(outcomes, Outcome.decode(cell, Outcome.encode(outcomes)));
        assertEquals(List.of(), Outcome.decode(cell, List.of()));
        assertThrows(
                IllegalArgumentException.class, () -> Outcome.decode(cell, List.of("nonsense")));
    }
}
