package io.github.rpcrdma4j.bench.study;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.bench.stack.Meter;
import io.github.rpcrdma4j.bench.worker.Pair.Observed;
import io.github.rpcrdma4j.bench.worker.Usage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: a rising curve is recognized. Method: rounds with calls of given lengths. */
class CurveTest {
    private static final long CALLS = 1000;

    private static Observed callsOf(int micros) {
        long nanos = CALLS * micros * 1000L;
        var cpu = new Usage(nanos / 2, 0, 0);
        return new Observed(new Meter.Round(CALLS, nanos, 0, 0), cpu, cpu);
    }

    private static Curve curve(int first, int last) {
        var curve = new Curve("calls", List.of(1, 100));
        curve.add(1, callsOf(first));
        curve.add(1, callsOf(first * 10));
        curve.add(1, callsOf(first));
        curve.add(100, callsOf(last));
        return curve;
    }

    @Test
    void returnsMediansBySize() {
        assertEquals(Map.of(1, 20.0, 100, 22.0), curve(20, 22).micros());
        assertEquals(Map.of(1, 20.0, 100, 0.22), curve(20, 22).perItem().micros());
    }

    @Test
    void isFlatUpToASeventhMore() {
        assertTrue(curve(20, 23).isFlat());
        assertTrue(curve(20, 5).isFlat());
        assertFalse(curve(20, 24).isFlat());
        assertTrue(curve(20, 24).text().startsWith(String.format("%ncalls: not flat")));
    }
}
