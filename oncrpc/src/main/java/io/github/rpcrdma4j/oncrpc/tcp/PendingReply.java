package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a call waits for: answered by the reader of the connection, or abandoned by its caller.
 * Whoever comes second finds out, so the memory of a reply has one owner.
 */
final class PendingReply {
    /** How the wait ends. */
    sealed interface Answer {
        /** The reply came; the memory is the caller's. */
        record Arrived(ReceivedRecord received) implements Answer {}

        /** There will be none. */
        record Lost(String reason) implements Answer {}
    }

    private final CompletableFuture<Answer> answer = new CompletableFuture<>();

    /** Returns whether the caller takes it; if not, its memory is still the giver's. */
    boolean answer(Answer given) {
        return answer.complete(given);
    }

    /**
     * Waits for the answer.
     *
     * @return null if the time is over
     */
    Answer await(long nanos) throws InterruptedException {
        try {
            return answer.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            return null;
        } catch (ExecutionException impossible) {
            throw new AssertionError("a reply is never completed with an exception", impossible);
        }
    }

    /** Takes no answer any more; gives back the memory of one that came meanwhile. */
    void abandon() {
        if (!answer.cancel(false) && answer.resultNow() instanceof Answer.Arrived(var received)) {
            received.close();
        }
    }
}
