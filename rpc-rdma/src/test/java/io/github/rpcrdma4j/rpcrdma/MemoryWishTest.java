package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryWishTest {
    @ParameterizedTest
    @CsvSource({
        "0, 1, 1000, 100",
        "100, 150, 1000, 100",
        "200, 300, 1000, 200",
        "500, 500, 1000, 400",
        "500, 501, 1000, 400",
        "3000, 1000, 1000, 400",
        "0, 1, 0, 400",
        "0, 0, 0, 100",
    })
    void othersMayHoldStillForLessTimeTheMoreTheyHold(
            long held, long wanted, long others, long nanos) {
        assertEquals(nanos, new MemoryWish(1, held, wanted).part(others, 400));
    }

    @ParameterizedTest
    @CsvSource({"0, 5, 5", "7, 5, 12"})
    void countsWhatIsHeldAndWhatIsWanted(long held, long wanted, long then) {
        assertEquals(then, new MemoryWish(0, held, wanted).then());
    }
}
