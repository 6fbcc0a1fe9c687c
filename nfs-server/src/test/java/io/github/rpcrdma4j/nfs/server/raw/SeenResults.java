package io.github.rpcrdma4j.nfs.server.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.raw.SeenHeader;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.util.ArrayList;
import java.util.List;

/**
 * The reply to a COMPOUND of operations with results of fixed length.
 *
 * @param acceptStatus {@code accept_stat}
 * @param status of the COMPOUND; -1 without results
 * @param operations the numbers of the operations with results, each before its status
 */
public record SeenResults(int acceptStatus, int status, List<Integer> operations) {
    private static final int ACCEPT_STATUS = 5;
    private static final int GARBAGE_ARGS = 4;

    private static final int CREATE = 6;
    private static final int WRITE = 38;

    /** Reads an inline reply. */
    public static SeenResults of(Words reply) {
        var message = SeenHeader.of(reply).message();
        int accepted = message.at(ACCEPT_STATUS);
        if (accepted != 0) {
            return new SeenResults(accepted, -1, List.of());
        }
        int at = ACCEPT_STATUS + 1;
        int status = message.at(at++);
        assertEquals(0, message.at(at++), "the length of the tag");
        int count = message.at(at++);
        var operations = new ArrayList<Integer>();
        for (int i = 0; i < count; i++) {
            int operation = message.at(at++);
            int own = message.at(at++);
            operations.add(operation);
            operations.add(own);
            // A WRITE returns count, committed and a verifier; a CREATE its changes and no bitmap.
            at += own != 0 ? 0 : operation == WRITE ? 4 : operation == CREATE ? 6 : 0;
        }
        assertEquals(message.length() / Integer.BYTES, at, "the length of the reply");
        return new SeenResults(0, status, List.copyOf(operations));
    }

    /** Requires that all operations succeeded. */
    public static void requireSuccess(int count, Words reply) {
        var seen = of(reply);
        assertEquals(0, seen.acceptStatus);
        assertEquals(0, seen.status);
        assertEquals(2 * count, seen.operations.size());
    }

    /** Requires GARBAGE_ARGS. */
    public static void requireGarbageArgs(Words reply) {
        assertEquals(new SeenResults(GARBAGE_ARGS, -1, List.of()), of(reply));
    }
}
