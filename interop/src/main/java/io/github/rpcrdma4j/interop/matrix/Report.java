package io.github.rpcrdma4j.interop.matrix;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;

/** The report of a run, with the outcomes of all cells as tables. */
public record Report(List<Outcome> outcomes) {
    /** The table entry of a check that was made both with and without CRCs. */
    private static final String BOTH = "yes";

    public boolean passed() {
        return !outcomes.isEmpty() && outcomes.stream().allMatch(Outcome::passed);
    }

    /** Prints a line for each cell. */
    public void print(PrintWriter out) {
        out.println();
        for (var cell : outcomes.stream().map(Outcome::cell).distinct().toList()) {
            var of = outcomes.stream().filter(each -> each.cell().equals(cell)).toList();
            var failed = of.stream().filter(each -> !each.passed()).toList();
            out.printf(
                    "%-42s %s%n",
                    cell.name(),
                    failed.isEmpty()
                            ? "passed, %d checks".formatted(of.size())
                            : "FAILED: " + names(failed));
        }
        out.printf(
                "%d of %d checks passed%n",
                outcomes.stream().filter(Outcome::passed).count(), outcomes.size());
        out.flush();
    }

    private static String names(List<Outcome> outcomes) {
        var names = new StringJoiner(", ");
        outcomes.forEach(outcome -> names.add(outcome.check().words()));
        return names.toString();
    }

    /**
     * Writes the page of a complete run.
     *
     * @param kernel the version of the guest's kernel
     * @param when the days of the run, in words
     */
    public void write(Path document, String kernel, String when) throws IOException {
        var page = new StringBuilder();
        page.append(
                """
                # Linux at both ends
                Written by `interop/run`. Every check of every cell passed when the cell was last run, %s. The guest is
                Linux %s of the distribution under emulation, with `siw` compiled from the distribution's source, its
                constants made parameters.

                A cell is one boot of the guest: who calls whom, how `siw` is set, and whether our side asks for CRCs. "%s" stands for
                two cells, with CRCs asked for by us and without; an empty field for a check that is made as shipped alone. Large
                segments (packets of 65,000 bytes) go over a link of their own, everything else through the emulator's user network
                with packets of 1500 bytes, small segments with 576.

                What public test suites find on such a mount is in [suites.md](suites.md).

                """
                        .formatted(when, kernel, BOTH));
        for (var direction : Cell.Direction.values()) {
            matrix(page, direction);
        }
        page.append("## What each check proves\n| | |\n| --- | --- |\n");
        for (var check : Check.values()) {
            page.append("| %s | %s |\n".formatted(check.words(), check.proves()));
        }
        page.append(
                """

                ## Differences of Linux from the documents
                | Linux | here | covered by |
                | --- | --- | --- |
                """);
        for (var difference : Difference.KNOWN) {
            page.append(
                    "| %s | %s | `%s` |\n"
                            .formatted(difference.linux(), difference.here(), difference.test()));
        }
        page.append("\n## Known kernel warnings\n| mark | in | why |\n| --- | --- | --- |\n");
        for (var warning : KnownWarning.ALL) {
            page.append(
                    "| `%s` | %s | %s |\n"
                            .formatted(warning.mark(), warning.direction().words(), warning.why()));
        }
        figures(page);
        Files.writeString(document, page);
    }

    private void matrix(StringBuilder page, Cell.Direction direction) {
        page.append("## ").append(capitalized(direction.words())).append("\n| |");
        for (var variant : Variant.values()) {
            page.append(" ").append(variant.words()).append(" |");
        }
        page.append("\n| --- |").append(" --- |".repeat(Variant.values().length)).append('\n');
        for (var check : Check.values()) {
            var row = new StringBuilder();
            boolean made = false;
            for (var variant : Variant.values()) {
                var field = field(direction, variant, check);
                made |= !field.isEmpty();
                row.append(" ").append(field).append(" |");
            }
            if (made) {
                page.append("| ").append(check.words()).append(" |").append(row).append('\n');
            }
        }
        page.append('\n');
    }

    private String field(Cell.Direction direction, Variant variant, Check check) {
        var cells =
                outcomes.stream()
                        .filter(
                                each ->
                                        each.cell().direction() == direction
                                                && each.cell().variant() == variant
                                                && each.check() == check)
                        .map(each -> each.cell().crc())
                        .distinct()
                        .toList();
        return switch (cells.size()) {
            case 0 -> "";
            case 1 -> cells.getFirst() ? "with CRC" : "without CRC";
            default -> BOTH;
        };
    }

    private void figures(StringBuilder page) {
        page.append(
                "\n## Figures, as shipped, with CRCs\nTimes are of an emulated processor.\n\n```\n");
        for (var outcome : outcomes) {
            if (outcome.cell().isAsShipped()) {
                page.append(
                        "%-15s %6.1f s\n"
                                .formatted(
                                        outcome.check().words(), outcome.took().toMillis() / 1e3));
                outcome.notes().forEach(note -> page.append("    ").append(note).append('\n'));
            }
        }
        page.append("```\n");
    }

    private static String capitalized(String words) {
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
