package io.github.rpcrdma4j.verbs;

/**
 * The end of one work request or receive.
 *
 * @param queuePair the queue pair of the work
 * @param workRequestId the id that the caller gave when it posted the work
 * @param operation the kind of work
 * @param status success, or the kind of failure
 * @param length the bytes received, for a {@link Operation#RECEIVE}; otherwise the bytes requested
 * @param invalidated whether the peer's Send invalidated a handle of this side
 * @param invalidatedHandle the handle that it invalidated, if so
 */
public record Completion(
        QueuePair queuePair,
        long workRequestId,
        Operation operation,
        Status status,
        long length,
        boolean invalidated,
        int invalidatedHandle) {
    /** The kind of the completed work. */
    public enum Operation {
        /** A Send, with or without invalidation. */
        SEND,
        /** An RDMA Write. */
        WRITE,
        /** An RDMA Read. */
        READ,
        /** An invalidation. */
        INVALIDATE,
        /** A receive. */
        RECEIVE
    }

    /** The result of the work. With any status but {@link #SUCCESS}, the connection is lost. */
    public enum Status {
        /** The work was carried out. */
        SUCCESS,
        /** The peer's Send was longer than the receive for it. */
        LOCAL_LENGTH_ERROR,
        /**
         * The sink of an RDMA Read, or a receive, was no longer registered when its data arrived.
         */
        LOCAL_ACCESS_ERROR,
        /** The peer refused the handle, bounds or access of an RDMA Read or Write. */
        REMOTE_ACCESS_ERROR,
        /** The peer ended the connection because of this work, for another reason. */
        REMOTE_OPERATION_ERROR,
        /**
         * The connection was lost or closed before this work, or earlier work in its queue, had
         * completed. The work may have been carried out nevertheless.
         */
        FLUSHED
    }

    /** Returns whether the work was carried out. */
    public boolean succeeded() {
        return status == Status.SUCCESS;
    }
}
