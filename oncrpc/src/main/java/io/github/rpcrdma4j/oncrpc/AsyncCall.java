package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The future of a call that runs on a virtual thread of its own. */
final class AsyncCall<T> extends CompletableFuture<T> {
    private Thread thread;

    private AsyncCall() {}

    static <T> CompletableFuture<T> start(
            RpcClient client, RpcCall call, Duration timeout, ResultDecoder<T> decoder) {
        var future = new AsyncCall<T>();
        future.thread =
                Thread.ofVirtual().unstarted(() -> future.run(client, call, timeout, decoder));
        future.thread.start();
        return future;
    }

    private void run(RpcClient client, RpcCall call, Duration timeout, ResultDecoder<T> decoder) {
        try {
            complete(decoded(client, call, timeout, decoder));
        } catch (XdrException malformed) {
            completeExceptionally(RpcException.BadReply.of(malformed));
        } catch (InterruptedException _) {
            super.cancel(false);
        } catch (Throwable failure) {
            completeExceptionally(failure);
        }
    }

    /** Returns the results of a call whose memory was given back. */
    private static <T> T decoded(
            RpcClient client, RpcCall call, Duration timeout, ResultDecoder<T> decoder)
            throws RpcException, XdrException, InterruptedException {
        try (var reply = client.call(call, timeout)) {
            return decoder.decode(reply.results());
        }
    }

    /**
     * Interrupts the call, and waits until it has ended and the peer cannot reach its memory.
     *
     * @return whether the call was cancelled before it had an outcome
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (Thread.currentThread() != thread) {
            thread.interrupt();
            awaitEnd();
        }
        return isCancelled();
    }

    private void awaitEnd() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a plain future: cancelling a derived future does not cancel the call. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
