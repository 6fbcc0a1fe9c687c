package io.github.rpcrdma4j.rdmacore;

import java.util.BitSet;

/**
 * The pieces of work that were posted to the adapter, by number: which are complete.
 *
 * <p>A completion also completes all earlier pieces, which therefore need none of their own. An
 * RDMA Read is the exception: siw (Linux 6.12) completes a Send or Write when it is sent, although
 * the data of an earlier Read is still to come. So a Read is complete only with its own completion
 * or with that of a later Read, and so is all that was posted after it.
 */
final class PostedPieces {
    /** The most pieces that the adapter's queue holds. */
    private final int depth;

    /** The most pieces that follow each other, the last of which alone has a completion. */
    private final int unsignaledMax;

    /** Which pieces are Reads, by number modulo the depth. */
    private final BitSet reads;

    private long posted;

    /** The number after that of the last piece with a completion. */
    private long signaled;

    /** All pieces before this one are complete. */
    private long completed;

    /** The Reads before this piece are complete. */
    private long readsCompleted;

    /** The other pieces before this one are complete. */
    private long othersCompleted;

    /** The first piece that failed, from which on none is complete. */
    private long failed = Long.MAX_VALUE;

    /**
     * @param depth the most pieces that the adapter's queue holds
     * @param signalsAll whether each piece needs a completion of its own
     */
    PostedPieces(int depth, boolean signalsAll) {
        this.depth = depth;
        // The room of pieces without a completion is free only with the next one that has one.
        unsignaledMax = signalsAll ? 1 : Math.max(1, depth / 4);
        reads = new BitSet(depth);
    }

    boolean hasRoom() {
        return posted - completed < depth;
    }

    /** Adds a piece and returns its number. There must be room. */
    long add(boolean isRead) {
        reads.set(index(posted), isRead);
        return posted++;
    }

    /**
     * Decides whether the piece that was added last asks the adapter for a completion.
     *
     * @param isNeeded whether its work waits for that
     */
    boolean signalLast(boolean isNeeded) {
        if (!isNeeded && posted - signaled < unsignaledMax) {
            return false;
        }
        signaled = posted;
        return true;
    }

    private int index(long piece) {
        return (int) (piece % depth);
    }

    /** Notes that a piece is complete. Returns the number of the first one that is not. */
    long complete(long piece) {
        // The request of a Read leaves in its turn, after all earlier pieces.
        othersCompleted = Math.max(othersCompleted, piece + 1);
        if (reads.get(index(piece))) {
            readsCompleted = Math.max(readsCompleted, piece + 1);
        }
        return advance();
    }

    /**
     * Notes that a piece failed: it is never complete, nor is a later one. All earlier ones but
     * Reads are. Returns the number of the first piece that is not complete.
     */
    long fail(long piece) {
        failed = Math.min(failed, piece);
        othersCompleted = Math.max(othersCompleted, piece);
        return advance();
    }

    private long advance() {
        while (completed < Math.min(posted, failed)
                && completed < (reads.get(index(completed)) ? readsCompleted : othersCompleted)) {
            completed++;
        }
        return completed;
    }
}
