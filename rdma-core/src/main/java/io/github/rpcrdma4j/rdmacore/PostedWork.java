package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.util.Optional;

/**
 * The work of a queue pair: its sends, its receives and its windows, and what completes them.
 * Guarded by the queue pair.
 */
final class PostedWork {
    private static final int SENDS_MIN = 64;

    final SendQueue sends;
    final ReceiveQueue receives;
    final OpenWindows windows;

    private final AdapterQueuePair queuePair;
    private final AdapterCompletionQueue completionQueue;

    /** Why the connection must end, or null. */
    private String cause;

    PostedWork(
            AdapterQueuePair queuePair,
            QueuePairOptions options,
            AdapterDomain domain,
            AdapterCompletionQueue completionQueue) {
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
        windows = new OpenWindows(queuePair, domain);
        int depth = Math.max(SENDS_MIN, 2 * options.sendQueueSize());
        sends = new SendQueue(domain, Math.min(depth, domain.device.queueMax));
        receives = new ReceiveQueue(queuePair, domain, windows, options.receiveQueueSize());
    }

    /** Returns why the connection must end, in one line; empty if the adapter failed nothing. */
    Optional<String> cause() {
        if (cause == null && (windows.hasRefusal() || sends.hasRefusal())) {
            cause = "the adapter did not end the access of the peer to memory";
        }
        return Optional.ofNullable(cause);
    }

    /** Takes all completions of the adapter. Returns how many there were. */
    int drain(AdapterQueues queues) {
        int taken = 0;
        int count = queues.poll();
        while (count > 0) {
            taken += count;
            for (int i = 0; i < count; i++) {
                if (queues.isReceive(i)) {
                    received(queues, i);
                } else {
                    sent(queues, i);
                }
            }
            count = queues.poll();
        }
        if (count < 0 && cause == null) {
            cause = "the completion queue of the adapter failed";
        }
        return taken;
    }

    private void sent(AdapterQueues queues, int index) {
        int status = queues.status(index);
        if (status == Errors.WC_SUCCESS) {
            sends.succeeded(queues.piece(index), this::ended);
        } else {
            failed(status, false);
            sends.failed(queues.piece(index), Errors.ofSend(status), this::ended);
        }
    }

    private void received(AdapterQueues queues, int index) {
        int status = queues.status(index);
        if (status != Errors.WC_SUCCESS) {
            failed(status, true);
        }
        receives.completed(queues, index).ifPresent(completionQueue::add);
    }

    private void failed(int status, boolean isReceive) {
        if (status != Errors.WC_FLUSH && cause == null) {
            cause = Errors.loss(status, isReceive);
        }
    }

    /** Reports the end of work of the send queue. */
    void ended(SendWork work, Status status) {
        if (work.isBinding()) {
            work.window.isBinding = false;
            return;
        }
        if (work.operation == Operation.INVALIDATE) {
            windows.end(work.window);
        }
        if (status != Status.SUCCESS || work.isReported()) {
            completionQueue.add(
                    new Completion(
                            queuePair, work.id, work.operation, status, work.bytes, false, 0));
        }
    }

    /** Reports all work as flushed. The adapter uses none of its memory any more. */
    void flush() {
        Steps.runAll(() -> sends.flush(this::ended), () -> receives.flush(completionQueue::add));
    }
}
