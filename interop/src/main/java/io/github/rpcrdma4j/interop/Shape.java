package io.github.rpcrdma4j.interop;

import java.util.List;
import java.util.stream.Stream;

/**
 * One way to lay out a call and its chunks.
 *
 * @param name in lower case, with dashes
 * @param sent what is sent
 * @param expected how it has to be answered
 * @param takesInvalidation whether the connection says that replies may invalidate handles
 * @param attempt sends it and checks the answer
 */
record Shape(
        String name, String sent, String expected, boolean takesInvalidation, Attempt attempt) {
    /** Sends a shape on a fresh connection. */
    interface Attempt {
        /**
         * @param caller for the shape alone
         * @param directory where its files are
         * @throws Mismatch if the answer is not what it has to be
         */
        void run(Caller caller, Directory directory) throws Mismatch, InterruptedException;
    }

    Shape(String name, String sent, String expected, Attempt attempt) {
        this(name, sent, expected, true, attempt);
    }

    /** All there are. */
    static List<Shape> all() {
        return Stream.of(
                        WriteShapes.TABLE,
                        LongCallShapes.TABLE,
                        ReadShapes.TABLE,
                        UnusedChunkShapes.TABLE,
                        ReplyChunkShapes.TABLE,
                        RefusedShapes.TABLE)
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public String toString() {
        return name;
    }
}
