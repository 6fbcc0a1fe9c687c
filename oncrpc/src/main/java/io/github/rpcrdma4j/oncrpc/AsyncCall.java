package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A call on a virtual thread of its own, as a future. */
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
        try (var reply = client.call(call, timeout)) {
            complete(decoder.decode(reply.results()));
        } catch (XdrException malformed) {
            completeExceptionally(RpcException.BadReply.of(malformed));
        } catch (InterruptedException _) {
            super.cancel(false);
        } catch (Throwable failure) {
            completeExceptionally(failure);
        }
    }

    /**
     * Interrupts the call, and waits until it is given up and its memory withdrawn.
     *
     * @return whether the call has no outcome for that reason
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

    /** Futures that are derived from this one can be cancelled without the call. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
