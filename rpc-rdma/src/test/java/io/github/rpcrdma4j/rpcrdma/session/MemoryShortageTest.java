package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryShortageTest {
    @ParameterizedTest
    @CsvSource({
        "0, 1, 1000, 240",
        "100, 150, 1000, 240",
        "300, 450, 1000, 300",
        "500, 500, 1000, 400",
        "500, 501, 1000, 400",
        "3000, 1000, 1000, 400",
        "0, 1, 0, 400",
        "0, 0, 0, 240",
    })
    void othersMayHoldStillForLessTimeTheMoreTheyHold(
            long held, long wanted, long others, long nanos) {
        assertEquals(nanos, new MemoryShortage(1, held, wanted).patience(others, 400));
    }

    @ParameterizedTest
    @CsvSource({"0, 5, 5", "7, 5, 12"})
    void countsHeldAndRequestedMemory(long held, long wanted, long then) {
        assertEquals(then, new MemoryShortage(0, held, wanted).heldThen());
    }
}
