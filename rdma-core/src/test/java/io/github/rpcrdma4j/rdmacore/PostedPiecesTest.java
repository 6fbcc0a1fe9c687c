package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PostedPiecesTest {
    private final PostedPieces pieces = new PostedPieces(8, false);

    private void post(String kinds) {
        for (char kind : kinds.toCharArray()) {
            pieces.add(kind == 'R');
        }
    }

    /** Adds Sends, and returns which of them have a completion. */
    private static String signals(PostedPieces pieces, String needed) {
        var signaled = new StringBuilder();
        for (char each : needed.toCharArray()) {
            pieces.add(false);
            signaled.append(pieces.signalLast(each == '1') ? '1' : '0');
        }
        return signaled.toString();
    }

    @Test
    void aPieceWithoutNeedHasACompletionOnceInAQuarterOfTheQueue() {
        assertEquals("01010101", signals(pieces, "00000000"));
        assertEquals("0001000100010001", signals(new PostedPieces(16, false), "0".repeat(16)));
        assertEquals("111", signals(new PostedPieces(3, false), "000"));
    }

    @Test
    void aNeededCompletionAlsoServesThePiecesBeforeIt() {
        assertEquals("01011010", signals(pieces, "00011000"));
        assertEquals("0010001000100010", signals(new PostedPieces(16, false), "0010001000000010"));
    }

    @Test
    void eachPieceHasACompletionOnAnAdapterThatCopiesNoOthers() {
        assertEquals("11111111", signals(new PostedPieces(8, true), "00010000"));
    }

    @Test
    void aCompletionCompletesEarlierSendsAndWrites() {
        post("SSWS");
        assertEquals(3, pieces.complete(2));
        assertEquals(4, pieces.complete(3));
    }

    @Test
    void aSendDoesNotCompleteAnEarlierRead() {
        post("SRSRS");
        assertEquals(1, pieces.complete(4));
        assertEquals(3, pieces.complete(1));
        assertEquals(5, pieces.complete(3));
    }

    @Test
    void aReadCompletesAllThatIsEarlier() {
        post("SRRWRS");
        assertEquals(5, pieces.complete(4));
    }

    @Test
    void theCompletionOfAnEarlierPieceAfterThatOfALaterOneChangesNothing() {
        post("SSRS");
        assertEquals(2, pieces.complete(3));
        assertEquals(2, pieces.complete(0));
        assertEquals(4, pieces.complete(2));
    }

    @Test
    void aFailedPieceIsNeverComplete() {
        post("SSRSS");
        assertEquals(2, pieces.fail(3));
        assertEquals(3, pieces.complete(2));
        assertEquals(3, pieces.fail(4));
    }

    @Test
    void aReadHoldsTheRoomOfWhatWasPostedAfterIt() {
        post("RSSSSSSS");
        assertFalse(pieces.hasRoom());
        assertEquals(0, pieces.complete(7));
        assertFalse(pieces.hasRoom());
        assertEquals(8, pieces.complete(0));
        assertTrue(pieces.hasRoom());
        assertEquals(8, pieces.add(false));
    }

    /**
     * Goal: nothing is complete too early, and nothing remains. Method: an adapter completes Sends
     * in their order, and Reads in theirs but later, as siw does.
     */
    @Test
    void noReadIsCompleteBeforeItsOwnCompletion() {
        long seed = new Random().nextLong();
        var random = new Random(seed);
        var reads = new ArrayList<Long>();
        var others = new ArrayList<Long>();
        long first = 0;
        long posted = 0;
        for (int i = 0; i < 100_000; i++) {
            if (pieces.hasRoom() && random.nextBoolean()) {
                boolean isRead = random.nextInt(3) == 0;
                posted = pieces.add(isRead) + 1;
                (isRead ? reads : others).add(posted - 1);
            } else if (!reads.isEmpty() && (others.isEmpty() || random.nextInt(4) == 0)) {
                // A request to read leaves after all that was posted before it.
                others.removeIf(each -> each < reads.getFirst());
                first = pieces.complete(reads.removeFirst());
            } else if (!others.isEmpty()) {
                first = pieces.complete(others.removeFirst());
            }
            long firstRead = reads.isEmpty() ? posted : reads.getFirst();
            long firstOther = others.isEmpty() ? posted : others.getFirst();
            assertEquals(Math.min(firstRead, firstOther), first, "seed " + seed);
        }
    }
}
