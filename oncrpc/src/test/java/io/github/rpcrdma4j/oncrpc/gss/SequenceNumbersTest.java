package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class SequenceNumbersTest {
    @Test
    void countsUp() {
        var numbers = new SequenceNumbers(128);
        assertEquals(OptionalInt.of(1), numbers.take());
        assertEquals(OptionalInt.of(2), numbers.take());
        assertEquals(2, numbers.inProgress());
        numbers.ended(1);
        numbers.ended(1);
        assertEquals(1, numbers.inProgress());
    }

    @Test
    void leavesNoCallBehindTheWindow() {
        var numbers = new SequenceNumbers(4);
        for (int i = 1; i <= 4; i++) {
            assertEquals(OptionalInt.of(i), numbers.take());
        }
        assertTrue(numbers.take().isEmpty());
        numbers.ended(3);
        assertTrue(numbers.take().isEmpty(), "the oldest is still in progress");
        numbers.ended(1);
        assertEquals(OptionalInt.of(5), numbers.take());
        assertTrue(numbers.take().isEmpty());
    }

    @Test
    void makesOneCallAtATimeIfTheServerHasNoWindow() {
        var numbers = new SequenceNumbers(0);
        assertEquals(OptionalInt.of(1), numbers.take());
        assertTrue(numbers.take().isEmpty());
        assertFalse(numbers.isUsedUp());
    }

    @Test
    void isUsedUpAfterTheHighestNumber() {
        var numbers = new SequenceNumbers(8, Integer.toUnsignedLong(SequenceWindow.MAXSEQ));
        assertFalse(numbers.isUsedUp());
        assertEquals(OptionalInt.of(SequenceWindow.MAXSEQ), numbers.take());
        assertTrue(numbers.isUsedUp());
        assertTrue(numbers.take().isEmpty());
    }
}
