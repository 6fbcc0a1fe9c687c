package io.github.rpcrdma4j.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.bench.stack.Stack;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: figures are short and precise enough. Method: figures of every magnitude, and a block. */
class TableTest {
    @Test
    void keepsThreeDigits() {
        assertEquals("0", Table.figure(0));
        assertEquals("0.012", Table.figure(0.0123));
        assertEquals("0.987", Table.figure(0.987));
        assertEquals("4.90", Table.figure(4.9));
        assertEquals("28.1", Table.figure(28.06));
        assertEquals("284", Table.figure(284.4));
        assertEquals("98,000", Table.figure(98_000));
    }

    @Test
    void comparesWithTheLimit() {
        var rows =
                List.of(
                        Rows.row(Stack.TCP, false, Rows.READ, 4),
                        Rows.row(Stack.RPCRDMA4J, true, Rows.READ, 3));
        var block = Table.block(Rows.READ, rows);
        assertTrue(block.contains("read-1m x 8"), block);
        assertTrue(
                block.lines().anyMatch(line -> line.matches(".*rpcrdma4j .* 0\\.750 .*")), block);
    }
}
