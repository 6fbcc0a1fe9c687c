package io.github.rpcrdma4j.interop.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.interop.matrix.Cell.Direction;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: the matrix has the cells that it should have. */
class CellTest {
    private static List<Cell> of(Direction direction) {
        return Cell.all().stream().filter(cell -> cell.direction() == direction).toList();
    }

    @Test
    void triesOurRdmaInEveryVariantAndWhatLiesAboveItAsShipped() {
        assertEquals(2 * Variant.values().length, of(Direction.LINUX_CLIENT).size());
        assertEquals(2 * Variant.values().length, of(Direction.LINUX_CLIENT_4_2).size());
        assertEquals(2, of(Direction.LINUX_CLIENT_4_1).size());
        assertEquals(1, of(Direction.OUR_KERBEROS).size());
        assertEquals(1, of(Direction.GATEWAY_GANESHA).size());
        assertEquals(1, of(Direction.GATEWAY_KNFSD).size());
        assertEquals(1, of(Direction.ADAPTER_SIW).size());
        assertEquals(1, of(Direction.ADAPTER_RXE).size());
    }

    @Test
    void theQuickRunLeavesOutTwoGuestsVersion41AndOneAdapter() {
        var quick = Cell.all().stream().filter(Cell::isQuick).map(Cell::direction).toList();
        var expected = EnumSet.allOf(Direction.class);
        expected.remove(Direction.GATEWAY_KNFSD);
        expected.remove(Direction.LINUX_CLIENT_4_1);
        expected.remove(Direction.ADAPTER_RXE);
        assertEquals(List.copyOf(expected), quick);
    }

    @Test
    void whatNeedsRootNeedsANetworkOfItsOwn() {
        assertTrue(Direction.GATEWAY_GANESHA.needsRoot());
        for (var direction : Direction.values()) {
            assertTrue(direction.needsNetwork() || !direction.needsRoot(), direction::name);
        }
    }
}
