package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The writes of a connection of a server: whole messages, one at a time. Thread-safe.
 *
 * <p>Tests: {@code TcpRpcServerTest}, {@code BegunAnswersTest}.
 */
final class ServedWrites {
    /**
     * The length from which a message counts as memory of the client, in bytes. For shorter ones,
     * the bound on calls suffices.
     */
    private static final long COUNTED_BYTES = 4 << 10;

    private final ServedStream stream;
    private final ServedSocket socket;

    /** The turn to write. A thread may finish the message of another one. */
    private final Semaphore turn = new Semaphore(1);

    private final Deadline deadline = new Deadline();

    ServedWrites(ServedStream stream, ServedSocket socket) {
        this.stream = stream;
        this.socket = socket;
    }

    /** A message that is to be written. One thread after the other uses it. */
    final class Message {
        private final GatheringWrite write;
        private final long counted;
        private final Runnable whenWritten;
        private boolean hasTurn;

        /**
         * Counts the memory of the message, until it is written or abandoned.
         *
         * @param whenWritten runs in the turn of the message, after its last byte
         */
        Message(XdrWriter encoded, Runnable whenWritten) {
            this.whenWritten = whenWritten;
            var pieces = RecordMarking.encode(encoded);
            long bytes = pieces.stream().mapToLong(MemorySegment::byteSize).sum();
            counted = bytes < COUNTED_BYTES ? 0 : bytes;
            write = new GatheringWrite(pieces);
            stream.quota().hold(counted);
        }

        /**
         * Writes what the socket accepts now, unless another message has the turn.
         *
         * @return whether the message is written; if not, {@link #finish} writes the rest
         * @throws IOException if the connection is lost; the message has ended
         */
        boolean begin() throws IOException {
            if (!socket.triesWrites() || !turn.tryAcquire()) {
                return false;
            }
            begun();
            boolean isLeft = false;
            boolean isWritten = false;
            try {
                isWritten = socket.write(write);
                isLeft = !isWritten;
                if (isWritten) {
                    whenWritten.run();
                }
            } finally {
                if (!isLeft) {
                    end(isWritten);
                }
            }
            return isWritten;
        }

        private void begun() {
            hasTurn = true;
            deadline.start(stream.now(), Timeouts.nanos(stream.options().stallTimeout()));
        }

        /**
         * Writes the rest, and waits as long as that takes.
         *
         * @throws IOException if the connection is lost; the message has ended
         */
        void finish() throws IOException {
            if (!hasTurn) {
                turn.acquireUninterruptibly();
                begun();
            }
            boolean isWritten = false;
            try {
                while (!socket.write(write)) {
                    stream.active();
                    socket.awaitWritable();
                }
                isWritten = true;
                whenWritten.run();
            } finally {
                end(isWritten);
            }
        }

        /** Ends a message whose rest no thread writes. */
        void abandon() {
            end(!write.isBegun());
        }

        /**
         * @param isWhole whether none or all of its bytes were written
         */
        private void end(boolean isWhole) {
            if (!isWhole) {
                // The thread that gets the turn next must not write into an unfinished record.
                stream.close();
            }
            if (hasTurn) {
                hasTurn = false;
                deadline.stop();
                turn.release();
            }
            stream.quota().hold(-counted);
        }
    }

    /** Returns whether {@link Message#begin} may write something. */
    boolean mayBegin() {
        return socket.triesWrites();
    }

    /**
     * Writes a message as a whole.
     *
     * @param whenWritten as for {@link Message}
     */
    void write(XdrWriter encoded, Runnable whenWritten) throws IOException {
        new Message(encoded, whenWritten).finish();
    }

    /** Asks something while no message is being written, after a wait for the one that is. */
    boolean betweenMessages(BooleanSupplier question) {
        turn.acquireUninterruptibly();
        try {
            return question.getAsBoolean();
        } finally {
            turn.release();
        }
    }

    /**
     * Writes a message as a whole, if its turn comes in time.
     *
     * @return false if it did not; nothing was written
     */
    boolean write(XdrWriter encoded, long nanos) throws IOException, InterruptedException {
        var message = new Message(encoded, () -> {});
        boolean hasTurn = false;
        try {
            // A thread that waits for its turn behind a slow message can still give up its call.
            hasTurn = turn.tryAcquire(nanos, TimeUnit.NANOSECONDS);
        } finally {
            if (!hasTurn) {
                message.abandon();
            }
        }
        if (hasTurn) {
            message.begun();
            message.finish();
        }
        return hasTurn;
    }

    /** Returns whether a message has taken too long. */
    boolean isPast(long nanos) {
        return deadline.isPast(nanos);
    }

    /** Stops the deadline, because the connection has ended. */
    void stop() {
        deadline.stop();
    }

    /** Frees the socket, when its last write has ended. */
    void free() {
        turn.acquireUninterruptibly();
        try {
            socket.free();
        } finally {
            turn.release();
        }
    }
}
