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
 * @param writes how many segments each Write chunk has
 * @param reply the Reply chunk; empty if there is none
 * @param message what follows the header
 */
public record SeenHeader(
        int xid,
        int version,
        int credits,
        int procedure,
        Map<Integer, Integer> reads,
        List<Integer> writes,
        Words reply,
        Words message) {
    private static final int SEGMENT_WORDS = 4;

    public static SeenHeader of(Words message) {
        int at = 4 + (message.at(1) == 2 ? 1 : 0);
        var reads = new TreeMap<Integer, Integer>();
        while (message.at(at++) == 1) {
            reads.merge(message.at(at), 1, Integer::sum);
            at += 1 + SEGMENT_WORDS;
        }
        var writes = new ArrayList<Integer>();
        while (message.at(at++) == 1) {
            writes.add(message.at(at));
            at += 1 + SEGMENT_WORDS * message.at(at);
        }
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
                List.copyOf(writes),
                reply,
                message.from(at));
    }

    /** Returns empty lists, and the Reply chunk, unused, if the call has one. */
    public Words unusedLists() {
        if (reply.length() == 0) {
            return Words.of(0, 0, 0);
        }
        var lists = Words.of(0, 0, 1, reply.at(0));
        for (int i = 1; i < reply.length() / Integer.BYTES; i += SEGMENT_WORDS) {
            lists = lists.word(reply.at(i), 0, reply.at(i + 2), reply.at(i + 3));
        }
        return lists;
    }
}
