package io.github.rpcrdma4j.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.bench.stack.Stack;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a goal is met exactly when its ratio is. Method: rows on either side of the bound. */
class GoalsTest {
    @Test
    void hasNoResultForWhatWasNotMeasured() {
        assertEquals(List.of(), Goals.results(List.of(Rows.row(Stack.TCP, false, Rows.READ, 4))));
        assertEquals("", Goals.text(List.of()));
    }

    @Test
    void comparesRates() {
        var tcp = Rows.row(Stack.TCP, false, Rows.READ, 4);
        var slow = Goals.results(List.of(tcp, Rows.row(Stack.RPCRDMA4J, true, Rows.READ, 2.7)));
        var fast = Goals.results(List.of(tcp, Rows.row(Stack.RPCRDMA4J, true, Rows.READ, 2.9)));
        assertEquals(1, slow.size());
        assertFalse(slow.getFirst().isMet());
        assertTrue(fast.getFirst().isMet());
        assertEquals(2.9 / 4, fast.getFirst().reached(), 1e-9);
    }

    @Test
    void shorterRoundTripsAreBetter() {
        var tcp = Rows.row(Stack.TCP, false, Rows.NULL, 20);
        var slow = Goals.results(List.of(tcp, Rows.row(Stack.RPCRDMA4J, true, Rows.NULL, 26)));
        var fast = Goals.results(List.of(tcp, Rows.row(Stack.RPCRDMA4J, true, Rows.NULL, 24)));
        assertFalse(slow.getFirst().isMet());
        assertTrue(fast.getFirst().isMet());
    }

    @Test
    void comparesAGatewayWithARelay() {
        var relay = Rows.row(Stack.NFS_RELAY, false, Rows.NULL, 20);
        var slow =
                Goals.results(
                        List.of(relay, Rows.row(Stack.NFS_GATEWAY_TO_TCP, true, Rows.NULL, 31)));
        var fast =
                Goals.results(
                        List.of(relay, Rows.row(Stack.NFS_GATEWAY_TO_RDMA, false, Rows.NULL, 29)));
        assertEquals(1, slow.size());
        assertFalse(slow.getFirst().isMet());
        assertTrue(fast.getFirst().isMet());
    }

    @Test
    void limitsTheCostOfCalls() {
        var results =
                Goals.results(
                        List.of(
                                Rows.row(Stack.ONCRPC4J, false, Rows.READ, 1, 0.5),
                                Rows.row(Stack.RPCRDMA4J, true, Rows.READ, 3, 0.2)));
        assertTrue(results.stream().allMatch(Goals.Result::isMet), results.toString());
        assertEquals(List.of(3.0, 0.4), results.stream().map(Goals.Result::reached).toList());
    }

    private static List<Boolean> areMet(double clientBytes, double serverBytes) {
        var call = Rows.allocating(Rows.NULL, clientBytes, serverBytes);
        return Goals.results(List.of(call)).stream().map(Goals.Result::isMet).toList();
    }

    @Test
    void limitsTheBytesThatEachSideAllocatesForANullCall() {
        assertEquals(List.of(true, true), areMet(100, 160));
        assertEquals(List.of(false, false), areMet(100.1, 160.1));
    }

    @Test
    void limitsTheBytesThatALargeReadAllocatesBeyondASmallOne() {
        var small = Rows.allocating(Rows.SMALL_READ, 500, 600);
        var large = Rows.allocating(Rows.READ, 1700, 1800.1);
        var results = Goals.results(List.of(small, large));
        assertEquals(List.of(true, false), results.stream().map(Goals.Result::isMet).toList());
    }
}
