package io.github.rpcrdma4j.nfs.client.v4.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Goal: only a server that copies after its replies, and tells of it, is asked for long ranges. */
class CopyLengthsTest {
    private static final long SHORT = CopyLengths.UNTOLD_MAX;
    private static final long LONG = 10 * SHORT;

    private final CopyLengths lengths = new CopyLengths();

    @Test
    void aServerThatHasNotAnsweredIsAskedForAShortRange() {
        assertEquals(SHORT, lengths.of(LONG, false));
        assertEquals(5, lengths.of(5, false));
    }

    @Test
    void aServerThatCopiesAfterItsReplyIsAskedForAll() {
        lengths.answered(true);
        assertEquals(LONG, lengths.of(LONG, false));
        assertEquals(SHORT, lengths.of(LONG, true));
    }

    @Test
    void theLastAnswerCounts() {
        lengths.answered(true);
        lengths.answered(false);
        assertEquals(SHORT, lengths.of(LONG, false));
        lengths.answered(true);
        assertEquals(LONG, lengths.of(LONG, false));
    }

    @Test
    void aServerThatDoesNotTellHowFarItIsIsNeverAskedForMore() {
        lengths.untold();
        lengths.answered(true);
        assertEquals(SHORT, lengths.of(LONG, false));
    }
}
