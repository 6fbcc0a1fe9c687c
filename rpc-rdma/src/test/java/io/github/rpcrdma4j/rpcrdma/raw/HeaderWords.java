package io.github.rpcrdma4j.rpcrdma.raw;

/** Transport headers of version 1 as a test writes them, word by word (RFC 8166, Section 4). */
public final class HeaderWords {
    private HeaderWords() {}

    /** Returns the header of a message with inline data, up to its chunk lists. */
    public static Words msg(int xid, int credits) {
        return Words.of(xid, 1, credits, 0);
    }

    /** Returns the header of a message without inline data, up to its chunk lists. */
    public static Words noMsg(int xid, int credits) {
        return Words.of(xid, 1, credits, 1);
    }

    /** Returns an empty Read list, a Write list of chunks, and no Reply chunk. */
    public static Words writeList(Words... chunks) {
        return Words.of(0).and(writeChunks(chunks)).word(0);
    }

    /** Returns a Write list of chunks. */
    public static Words writeChunks(Words... chunks) {
        var list = Words.NONE;
        for (var chunk : chunks) {
            list = list.word(1).and(chunk);
        }
        return list.word(0);
    }

    /** Returns a Read list with entries, no Write list, and no Reply chunk. */
    public static Words readList(Words... entries) {
        var list = Words.NONE;
        for (var entry : entries) {
            list = list.and(entry);
        }
        return list.word(0, 0, 0);
    }
}
