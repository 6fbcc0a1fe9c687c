package io.github.rpcrdma4j.verbs;

/**
 * The end of one work request or receive.
 *
 * @param queuePair whose work it was
 * @param workRequestId as given when it was posted
 * @param operation what it was
 * @param status how it ended
 * @param length bytes received, for a {@link Operation#RECEIVE}; bytes asked for otherwise
 * @param invalidated whether the peer's Send invalidated a handle of ours
 * @param invalidatedHandle which, if so
 */
public record Completion(
        QueuePair queuePair,
        long workRequestId,
        Operation operation,
        Status status,
        long length,
        boolean invalidated,
        int invalidatedHandle) {
    /** What kind of work completed. */
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

    /** How it ended. Anything but {@link #SUCCESS} means that the connection is lost. */
    public enum Status {
        /** It was carried out. */
        SUCCESS,
        /** The peer's Send was longer than the receive that met it. */
        LOCAL_LENGTH_ERROR,
        /** The sink of an RDMA Read, or a receive, was no longer registered when its data came. */
        LOCAL_ACCESS_ERROR,
        /** The peer refused the handle, bounds or access of an RDMA Read or Write. */
        REMOTE_ACCESS_ERROR,
        /** The peer ended the connection because of this work, for another reason. */
        REMOTE_OPERATION_ERROR,
        /**
         * The connection was lost or closed before the work was done, or before other work was that
         * is ahead of it in its queue: this work may be done.
         */
        FLUSHED
    }

    /** Whether it was carried out. */
    public boolean succeeded() {
        return status == Status.SUCCESS;
    }
}
