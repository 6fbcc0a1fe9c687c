package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.ddp.ReceiveQueue;
import io.github.rpcrdma4j.iwarp.rdmap.SendElement;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Signal;

/**
 * Puts what a queue pair did into its completion queue. A completion is a value: one that says the
 * same as the one before is the same object, so that a steady stream makes no garbage.
 */
final class Reports {
    private final QueuePair queuePair;
    private final IwarpCompletionQueue completionQueue;

    /** Guarded by the send lock. */
    private Completion lastSent;

    /** Guarded by the receive lock. */
    private Completion lastReceived;

    Reports(QueuePair queuePair, IwarpCompletionQueue completionQueue) {
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
    }

    /** Posted work has ended; the send lock is held. */
    void sent(SendElement element, Status status) {
        var signal = status == Status.SUCCESS ? element.signal() : Signal.SIGNALED;
        if (signal == Signal.UNSIGNALED) {
            return;
        }
        if (lastSent == null || !element.isSaidBy(lastSent, status)) {
            lastSent = element.completion(queuePair, status);
        }
        if (signal == Signal.QUIET) {
            completionQueue.addQuietly(lastSent);
        } else {
            completionQueue.add(lastSent);
        }
    }

    /** A message has come; the receive lock is held. */
    void received(long workRequestId, long length, DdpSegment.Untagged last) {
        if (last.invalidates()
                || lastReceived == null
                || lastReceived.workRequestId() != workRequestId
                || lastReceived.length() != length
                || lastReceived.invalidated()) {
            lastReceived =
                    new Completion(
                            queuePair,
                            workRequestId,
                            Completion.Operation.RECEIVE,
                            Status.SUCCESS,
                            length,
                            last.invalidates(),
                            last.invalidates() ? last.invalidate() : 0);
        }
        completionQueue.add(lastReceived);
    }

    /** A receive has ended without a message. */
    void failed(ReceiveQueue.Posted receive, Status status) {
        completionQueue.add(receive.failed(queuePair, status));
    }
}
