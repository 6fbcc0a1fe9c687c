package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
    private final StringWriter written = new StringWriter();
    private final PrintWriter terminal = new PrintWriter(written);

    /** Returns what a terminal shows, line by line. */
    private List<String> screen() {
        terminal.flush();
        var lines = new ArrayList<String>();
        for (var line : written.toString().split("\n", -1)) {
            var shown = line.substring(line.lastIndexOf('\r') + 1);
            lines.add(shown.replace("\033[K", ""));
        }
        return lines;
    }

    @Test
    void linesThatArePrintedStandAboveTheOneThatIsDrawn() {
        try (var line = new ProgressLine(terminal)) {
            line.draw("10 %");
            line.println("a failed");
            line.draw("20 %");
            line.draw("30 %");
            line.println("b failed");
            line.draw("40 %");
            assertEquals(List.of("a failed", "b failed", "40 %"), screen());
        }
        terminal.println("the totals");
        assertEquals(List.of("a failed", "b failed", "the totals", ""), screen());
    }

    @Test
    void nothingIsDrawnOnceItIsClosed() {
        var line = new ProgressLine(terminal);
        line.draw("10 %");
        line.close();
        line.close();
        terminal.println("the totals");
        line.draw("100 %");
        assertEquals(List.of("the totals", ""), screen());
    }

    @Test
    void whatIsNeverDrawnLeavesNoTrace() {
        var line = new ProgressLine(terminal);
        line.println("a failed");
        line.close();
        assertEquals("a failed" + System.lineSeparator(), written.toString());
    }
}
