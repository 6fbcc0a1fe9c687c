package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The posted receives of a queue pair, in order. They wait here until the adapter has a queue.
 * Guarded by the queue pair.
 */
final class ReceiveQueue {
    private final AdapterQueuePair queuePair;
    private final OpenWindows windows;
    private final int size;
    private final Queue<Posted> posted = new ArrayDeque<>();

    /** A receive that the caller posted. */
    record Posted(long id, AdapterRegion region, long offset, long length) {}

    ReceiveQueue(AdapterQueuePair queuePair, AdapterDomain domain, OpenWindows windows, int size) {
        this.queuePair = queuePair;
        this.windows = windows;
        this.size = size;
        int max = domain.device.queueMax;
        if (size > max) {
            throw new IllegalArgumentException(
                    domain.device.name + " has at most " + max + " receives");
        }
    }

    /**
     * Adds a receive and posts it, if the adapter has a queue for it. Returns 0 or an error number.
     */
    int post(long id, AdapterRegion region, long offset, long length, AdapterQueues queues) {
        if (posted.size() >= size) {
            throw new IllegalStateException("the receive queue is full");
        }
        region.addPosted();
        var receive = new Posted(id, region, offset, length);
        posted.add(receive);
        return queues == null ? 0 : queues.postReceive(receive);
    }

    /** Posts the receives that waited. Returns 0 or an error number. */
    int postAll(AdapterQueues queues) {
        int error = 0;
        for (var each : posted) {
            error = error != 0 ? error : queues.postReceive(each);
        }
        return error;
    }

    /** Takes the receive that a completion of the adapter completes. */
    Optional<Completion> completed(AdapterQueues queues, int index) {
        var receive = posted.poll();
        if (receive == null) {
            return Optional.empty();
        }
        receive.region.removePosted();
        int status = queues.status(index);
        boolean succeeded = status == Errors.WC_SUCCESS;
        boolean invalidated = succeeded && queues.isInvalidated(index);
        int handle = invalidated ? queues.invalidatedHandle(index) : 0;
        if (invalidated) {
            windows.endedByPeer(handle);
        }
        return Optional.of(
                new Completion(
                        queuePair,
                        receive.id,
                        Operation.RECEIVE,
                        Errors.ofReceive(status),
                        succeeded ? queues.bytes(index) : 0,
                        invalidated,
                        handle));
    }

    /** Takes all receives as flushed. */
    void flush(Consumer<Completion> into) {
        for (var each = posted.poll(); each != null; each = posted.poll()) {
            each.region.removePosted();
            into.accept(
                    new Completion(
                            queuePair, each.id, Operation.RECEIVE, Status.FLUSHED, 0, false, 0));
        }
    }
}
