package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.NoResourceException;
import java.util.Optional;

/** What error numbers, completion statuses and events mean, in one line each. */
final class Errors {
    private static final SafeLog LOG = new SafeLog(System.getLogger(Errors.class.getName()));

    static final int WC_SUCCESS = 0;
    static final int WC_FLUSH = 5;

    private static final String[] STATUSES = {
        "SUCCESS",
        "LOC_LEN_ERR",
        "LOC_QP_OP_ERR",
        "LOC_EEC_OP_ERR",
        "LOC_PROT_ERR",
        "WR_FLUSH_ERR",
        "MW_BIND_ERR",
        "BAD_RESP_ERR",
        "LOC_ACCESS_ERR",
        "REM_INV_REQ_ERR",
        "REM_ACCESS_ERR",
        "REM_OP_ERR",
        "RETRY_EXC_ERR",
        "RNR_RETRY_EXC_ERR"
    };

    private Errors() {}

    /**
     * Returns the pointer that an adapter gave.
     *
     * @throws NoResourceException if it is a negative error number instead
     */
    static long pointer(long pointerOrError, Device device) {
        if (pointerOrError < 0) {
            throw new NoResourceException(
                    "the device "
                            + device.name
                            + " has no room: "
                            + Errno.text((int) -pointerOrError));
        }
        return pointerOrError;
    }

    /**
     * Logs that the adapter did not free something. A device that was removed frees all that it
     * had.
     *
     * @param what what it was
     */
    static void logUnlessFreed(int errno, String what) {
        if (!isFreed(errno)) {
            LOG.line(System.Logger.Level.ERROR, what + " did not end: " + Errno.text(errno));
        }
    }

    /** Returns whether something is free after the adapter was to free it. */
    static boolean isFreed(int errno) {
        return errno == 0 || errno == Errno.EIO || errno == Errno.ENODEV;
    }

    /** Returns the end of a sentence about a failure. */
    static String because(int errno) {
        return errno == 0 ? "" : ": " + Errno.text(errno);
    }

    /** Returns why a connection ended, for a completion that was neither successful nor flushed. */
    static String loss(int status, boolean isReceive) {
        var name = status < STATUSES.length ? STATUSES[status] : "status " + status;
        var meaning =
                switch (status) {
                    case 1 ->
                            isReceive
                                    ? "the peer sent a message longer than the receive for it"
                                    : "this side sent a message that is too long";
                    case 4, 8 -> "this side ended a registration that was in use";
                    case 6 -> "this side could not bind a memory window";
                    case 9 -> "the peer refused an invalid request";
                    case 10 ->
                            isReceive
                                    ? "the peer used memory that is not open to it"
                                    : "the peer refused the handle, bounds or access";
                    case 11 -> "the peer could not carry out a request";
                    case 12 -> "the peer does not answer, or the path is lost";
                    case 13 -> "the peer had no receive posted";
                    default -> "the adapter reported an error";
                };
        return meaning + " (" + name + ")";
    }

    /** Returns the status of a completion of the send queue. */
    static Status ofSend(int status) {
        return switch (status) {
            case WC_SUCCESS -> Status.SUCCESS;
            case 1 -> Status.LOCAL_LENGTH_ERROR;
            case 4, 8 -> Status.LOCAL_ACCESS_ERROR;
            case 10 -> Status.REMOTE_ACCESS_ERROR;
            case 9, 11 -> Status.REMOTE_OPERATION_ERROR;
            default -> Status.FLUSHED;
        };
    }

    /** Returns the status of a completion of the receive queue. */
    static Status ofReceive(int status) {
        return switch (status) {
            case WC_SUCCESS -> Status.SUCCESS;
            case 1 -> Status.LOCAL_LENGTH_ERROR;
            case 4, 8 -> Status.LOCAL_ACCESS_ERROR;
            // Adapters end the next receive when the peer violates a rule in another request.
            default -> Status.FLUSHED;
        };
    }

    /** What an asynchronous event ends. */
    enum Scope {
        /** The connection of a queue pair, or of a completion queue. */
        QUEUE_PAIR,
        /** All connections of the device. */
        DEVICE
    }

    /**
     * The end of connections by an asynchronous event.
     *
     * @param reason why they end, in one line
     */
    record Loss(Scope scope, String reason) {}

    /** Returns which connections end with an asynchronous event; empty if none does. */
    static Optional<Loss> asynchronous(int event, String device) {
        return Optional.ofNullable(
                switch (event) {
                    case 0 -> ofPair("the completion queue was too small, or failed (CQ_ERR)");
                    case 1 ->
                            ofPair(
                                    "the adapter reported a fatal error of the connection"
                                            + " (QP_FATAL)");
                    case 2 -> ofPair("the adapter refused a request (QP_REQ_ERR)");
                    case 3 -> ofPair("the peer used memory that is not open to it (QP_ACCESS_ERR)");
                    case 8 -> ofDevice("the device " + device + " failed (DEVICE_FATAL)");
                    case 10 -> ofDevice("the link of " + device + " went down (PORT_ERR)");
                    default -> null;
                });
    }

    private static Loss ofPair(String reason) {
        return new Loss(Scope.QUEUE_PAIR, reason);
    }

    private static Loss ofDevice(String reason) {
        return new Loss(Scope.DEVICE, reason);
    }
}
