package io.github.rpcrdma4j.interop;

import java.util.List;
import java.util.stream.Stream;

/**
 * A layout of a call and its chunks.
 *
 * @param name words in lower case, with dashes between them
 * @param sent the message, in words
 * @param expected the required answer, in words
 * @param takesInvalidation whether the private data of the connection allows replies to invalidate
 *     handles
 * @param attempt sends the message and checks the answer
 */
record Shape(
        String name, String sent, String expected, boolean takesInvalidation, Attempt attempt) {
    /** Sends a shape on a new connection and checks the answer. */
    interface Attempt {
        /**
         * @param caller makes the calls, on the new connection
         * @param directory holds the files of the shape
         * @throws Mismatch if the answer is not the required one
         */
        void run(Caller caller, Directory directory) throws Mismatch, InterruptedException;
    }

    Shape(String name, String sent, String expected, Attempt attempt) {
        this(name, sent, expected, true, attempt);
    }

    /** Returns all shapes for a server of NFS version 3. */
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

    /** Returns the shapes for a server of NFS version 4.1, which serves version 3 too. */
    static List<Shape> ofVersion4() {
        return CompoundShapes.TABLE;
    }

    @Override
    public String toString() {
        return name;
    }
}
