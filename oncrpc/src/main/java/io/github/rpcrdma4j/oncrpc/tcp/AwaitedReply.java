package io.github.rpcrdma4j.oncrpc.tcp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The reply for which one thread waits. */
final class AwaitedReply implements PendingReply {
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();

    @Override
    public boolean answer(Answer given) {
        return answer.complete(given);
    }

    /**
     * Waits for the answer.
     *
     * @return null if the time is up
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

    @Override
    public void abandon() {
        if (!answer.cancel(false) && answer.resultNow() instanceof Answer.Arrived(var received)) {
            received.close();
        }
    }
}
