package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeavingTest {
    private final Leaving<String> leaving = new Leaving<>(2);

    @Test
    void whatHasWaitedLongestIsGivenUpWhenMoreLeaveThanThereIsRoomFor() {
        assertEquals(Optional.empty(), leaving.add("first"));
        assertEquals(Optional.empty(), leaving.add("second"));
        assertEquals(Optional.of("first"), leaving.add("third"));
        assertEquals(Optional.of("second"), leaving.add("fourth"));
    }

    @Test
    void whatHasItsAnswerLeavesRoom() {
        leaving.add("first");
        leaving.add("second");
        leaving.remove("first");
        leaving.remove("of another device");
        assertEquals(Optional.empty(), leaving.add("third"));
        assertEquals(Optional.of("second"), leaving.add("fourth"));
    }
}
