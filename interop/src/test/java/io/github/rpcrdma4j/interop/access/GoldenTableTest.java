package io.github.rpcrdma4j.interop.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: tables are written, read and compared correctly. Method: tables made by hand. */
class GoldenTableTest {
    private static final Outcome ONE = new Outcome("a/one", "1:1 | open | GETATTR f | f", "OK");
    private static final Outcome TWO =
            new Outcome("a/two", "1:1 | open | SYMLINK n ->x | d", "OK; +n l 1:1 0777 ->x");

    @TempDir private Path directory;

    @Test
    void readsBackWhatItWrote() throws Exception {
        var table = new GoldenTable(List.of("a kernel"), List.of(ONE, TWO));
        var file = directory.resolve("in/here.table");
        table.write(file);
        assertEquals(table, GoldenTable.parse(Files.readAllLines(file)));
        assertEquals("a/two | 1:1 | open | SYMLINK n ->x | d => OK; +n l 1:1 0777 ->x", TWO.line());
    }

    @Test
    void refusesLinesThatAreNone() {
        for (var line : List.of("", "nonsense", "a/b | no arrow", "no-slash | words => OK", "=>")) {
            assertThrows(IOException.class, () -> Outcome.parse(line), line);
        }
    }

    @Test
    void comparesByIdAndCountsByGroup() {
        var changed = new Outcome(TWO.id(), TWO.words(), "ACCES");
        var added = new Outcome("b/three", "words", "OK");
        var comparison = Comparison.of(List.of(ONE, TWO), List.of(added, changed, ONE));
        assertEquals(List.of(ONE), comparison.same());
        assertEquals(
                List.of(
                        new Comparison.Difference(TWO.id(), TWO.words(), TWO.found(), "ACCES"),
                        new Comparison.Difference("b/three", "words", "(not tried)", "OK")),
                comparison.differences());
        var lines = comparison.lines("knfsd", "ours");
        assertTrue(lines.contains("    ours     ACCES"), lines::toString);
        assertTrue(lines.contains("a                     2 cases,    1 differ"), lines::toString);
        assertTrue(lines.contains("all                   3 cases,    2 differ"), lines::toString);
    }

    @Test
    void marksACaseThatWasNotTriedOrIsAnother() {
        var other = new Outcome(ONE.id(), "other words", "OK");
        var differences = Comparison.of(List.of(ONE, TWO), List.of(other)).differences();
        assertEquals("(another case: other words) OK", differences.getFirst().found());
        assertEquals("(not tried)", differences.getLast().found());
    }

    @Test
    void replacesOutcomesOfKnownCasesByOthers() {
        var accepted = new Outcome(TWO.id(), TWO.words(), "ACCES");
        assertEquals(
                List.of(ONE, accepted), GoldenTable.replaced(List.of(ONE, TWO), List.of(accepted)));
        for (var wrong :
                List.of(TWO, new Outcome("a/x", "w", "OK"), new Outcome(TWO.id(), "w", "OK"))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> GoldenTable.replaced(List.of(ONE, TWO), List.of(wrong)));
        }
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        GoldenTable.replaced(
                                List.of(ONE, TWO),
                                List.of(accepted, new Outcome(TWO.id(), TWO.words(), "PERM"))));
    }

    @Test
    void acceptsOtherOutcomesOfCasesThatAreThere() {
        var linux = GoldenTable.ofLinux().outcomes();
        var accepted = GoldenTable.ofAccepted();
        assertEquals(linux.size(), GoldenTable.replaced(linux, accepted.outcomes()).size());
        assertTrue(accepted.notes().size() > 0);
    }
}
