package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PostedPiecesTest {
    private final PostedPieces pieces = new PostedPieces(8);

    private void post(String kinds) {
        for (char kind : kinds.toCharArray()) {
            pieces.add(kind == 'R');
        }
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
