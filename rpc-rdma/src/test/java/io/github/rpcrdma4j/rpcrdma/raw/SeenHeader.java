package io.github.rpcrdma4j.rpcrdma.raw;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A transport header of version 1 or 2 as a test reads it, word by word (RFC 8166, Section 4). In
 * version 2 the direction precedes the lists.
 *
 * @param reads how many segments each position of the Read list has
 * @param readBytes how many bytes each position of the Read list has
 * @param writes how many segments each Write chunk has
 * @param writeList the Write list, word by word
 * @param reply the Reply chunk; empty if there is none
 * @param message what follows the header
 */
public record SeenHeader(
        int xid,
        int version,
        int credits,
        int procedure,
        Map<Integer, Integer> reads,
        Map<Integer, Integer> readBytes,
        List<Integer> writes,
        Words writeList,
        Words reply,
        Words message) {
    private static final int SEGMENT_WORDS = 4;

    /** Where the length of a segment is in it. */
    private static final int LENGTH = 1;

    public static SeenHeader of(Words message) {
        int at = 4 + (message.at(1) == 2 ? 1 : 0);
        var reads = new TreeMap<Integer, Integer>();
        var readBytes = new TreeMap<Integer, Integer>();
        while (message.at(at++) == 1) {
            reads.merge(message.at(at), 1, Integer::sum);
            readBytes.merge(message.at(at), message.at(at + 1 + LENGTH), Integer::sum);
            at += 1 + SEGMENT_WORDS;
        }
        var writes = new ArrayList<Integer>();
        int writeList = at;
        while (message.at(at++) == 1) {
            writes.add(message.at(at));
            at += 1 + SEGMENT_WORDS * message.at(at);
        }
        int writeListEnd = at;
        var reply = Words.NONE;
        if (message.at(at++) == 1) {
            int segments = message.at(at);
            reply = Words.of(segments);
            for (int i = 0; i < segments; i++) {
                int from = at + 1 + i * SEGMENT_WORDS;
                reply =
                        reply.word(
                                message.at(from),
                                message.at(from + 1),
                                message.at(from + 2),
                                message.at(from + 3));
            }
            at += 1 + SEGMENT_WORDS * segments;
        }
        return new SeenHeader(
                message.at(0),
                message.at(1),
                message.at(2),
                message.at(3),
                reads,
                readBytes,
                List.copyOf(writes),
                message.from(writeList).to(writeListEnd - writeList),
                reply,
                message.from(at));
    }

    /** Returns how many bytes each Write chunk has. */
    public List<Integer> writeBytes() {
        var bytes = new ArrayList<Integer>();
        int at = 1;
        for (int segments : writes) {
            int sum = 0;
            for (int i = 0; i < segments; i++) {
                sum += writeList.at(at + 1 + i * SEGMENT_WORDS + LENGTH);
            }
            bytes.add(sum);
            at += 2 + segments * SEGMENT_WORDS;
        }
        return bytes;
    }

    /** Returns how many bytes the Reply chunk has; 0 if there is none. */
    public int replyBytes() {
        int bytes = 0;
        for (int i = 1; i < reply.length() / Integer.BYTES; i += SEGMENT_WORDS) {
            bytes += reply.at(i + LENGTH);
        }
        return bytes;
    }

    /** Returns the lists of a reply that has all of its results inline, and uses no chunk. */
    public Words allUnused() {
        var lists = Words.of(0);
        int at = 1;
        for (int segments : writes) {
            lists = lists.word(1).and(unused(writeList.from(at), segments));
            at += 2 + segments * SEGMENT_WORDS;
        }
        lists = lists.word(0);
        return reply.length() == 0 ? lists.word(0) : lists.word(1).and(unused(reply, reply.at(0)));
    }

    /** Returns a chunk, with lengths of 0. */
    private static Words unused(Words chunk, int segments) {
        var unused = Words.of(segments);
        for (int i = 0; i < segments; i++) {
            int from = 1 + i * SEGMENT_WORDS;
            unused = unused.word(chunk.at(from), 0, chunk.at(from + 2), chunk.at(from + 3));
        }
        return unused;
    }

    /** Returns empty lists, and the Reply chunk, unused, if the call has one. */
    public Words unusedLists() {
        return reply.length() == 0
                ? Words.of(0, 0, 0)
                : Words.of(0, 0, 1).and(unused(reply, reply.at(0)));
    }
}
