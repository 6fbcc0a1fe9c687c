package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;

/**
 * The failure of a call that has no results. The message is one line for a user, and names the side
 * that failed.
 *
 * <p>Tests: {@code MessageHeaderTest}, {@code TcpRpcTest}.
 */
public sealed class RpcException extends IOException {
    private static final long serialVersionUID = 1L;

    private RpcException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The peer cannot be reached, or refuses the connection. */
    public static final class Unreachable extends RpcException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: why the peer cannot be reached
         */
        public Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The connection was lost. The server may or may not have carried out the call. */
    public static sealed class ConnectionLost extends RpcException permits CallGivenUp {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: why the connection was lost
         */
        public ConnectionLost(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * The connection was lost because this side gave up a call on it, perhaps the call of another
     * caller. Its deadline passed, its thread was interrupted, or its pipeline was closed. The peer
     * then accessed memory that this side had withdrawn, which ends an RDMA connection. The peer
     * did nothing wrong, and a new connection will work. A caller that gets this exception often
     * needs longer timeouts.
     */
    public static final class CallGivenUp extends ConnectionLost {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: which call was given up
         */
        public CallGivenUp(String message) {
            super(message, null);
        }
    }

    /** No reply arrived within the timeout. The server may or may not have carried out the call. */
    public static final class TimedOut extends RpcException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: which deadline has passed
         */
        public TimedOut(String message) {
            super(message, null);
        }
    }

    /** The peer denied the call: MSG_DENIED (RFC 5531, Section 9). */
    public static final class Denied extends RpcException {
        private static final long serialVersionUID = 1L;
        private static final int AUTH_OK = 0;
        private final int status;

        /**
         * Creates the exception for a peer that supports other versions of RPC.
         *
         * @param message one line for a user: why the peer denied the call
         */
        public Denied(String message) {
            this(message, AUTH_OK);
        }

        /**
         * Creates the exception.
         *
         * @param message one line for a user: why the peer denied the call
         * @param status {@code auth_stat}
         */
        public Denied(String message, int status) {
            super(message, null);
            this.status = status;
        }

        /** Returns {@code auth_stat}, or 0 (AUTH_OK) if the credential was not the reason. */
        public int status() {
            return status;
        }
    }

    /**
     * The identity of one side could not be proved: for example, the caller has no ticket, or the
     * server is not the intended one. The server did not carry out the call.
     */
    public static final class NotAuthenticated extends RpcException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: what could not be proved
         */
        public NotAuthenticated(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The peer accepted the message and refused the call. */
    public static final class Refused extends RpcException {
        private static final long serialVersionUID = 1L;
        private final AcceptStatus status;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: why the peer refused the call
         */
        public Refused(String message, AcceptStatus status) {
            super(message, null);
            this.status = status;
        }

        /** Returns the status of the refusal. */
        public AcceptStatus status() {
            return status;
        }
    }

    /**
     * The transport cannot carry the call or its reply, so a repetition is useless: an RDMA_ERROR
     * (RFC 8166, Section 4.5). The server may or may not have carried out the call.
     */
    public static final class TransportRefused extends RpcException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: why the transport refused the call
         */
        public TransportRefused(String message) {
            super(message, null);
        }
    }

    /** The peer's reply is malformed, or violates the protocol of its program. */
    public static final class BadReply extends RpcException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: what is wrong with the reply
         */
        public BadReply(String message) {
            super(message, null);
        }

        /** Returns the exception for results that cannot be decoded. */
        public static BadReply of(XdrException malformed) {
            return new BadReply("the server's results are malformed: " + malformed.getMessage());
        }
    }
}
