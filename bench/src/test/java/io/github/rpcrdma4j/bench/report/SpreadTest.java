package io.github.rpcrdma4j.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: medians are correct. Method: values in any order, of odd and even number. */
class SpreadTest {
    @Test
    void takesTheMiddleOfAnOddNumber() {
        assertEquals(new Spread(3, 1, 9), Spread.of(List.of(9.0, 1.0, 3.0)));
        assertEquals(new Spread(5, 5, 5), Spread.of(List.of(5.0)));
    }

    @Test
    void takesTheMeanOfTheTwoInTheMiddleOfAnEvenNumber() {
        assertEquals(new Spread(2.5, 1, 8), Spread.of(List.of(8.0, 2.0, 3.0, 1.0)));
    }
}
