package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;

/** A call has no results. The message is one line for a user that says whose fault it is. */
public sealed class RpcException extends IOException {
    private static final long serialVersionUID = 1L;

    private RpcException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The peer cannot be reached, or refuses the connection. */
    public static final class Unreachable extends RpcException {
        private static final long serialVersionUID = 1L;

        /** Why the peer cannot be reached, in one line for a user. */
        public Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The connection was lost; the call may or may not have been carried out. */
    public static sealed class ConnectionLost extends RpcException permits CallGivenUp {
        private static final long serialVersionUID = 1L;

        /** Why the connection was lost, in one line for a user. */
        public ConnectionLost(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * The connection ended because this side gave up a call on it, which may have been another
     * caller's: its deadline passed, its thread was interrupted, or its pipeline was closed. The
     * peer then reached for memory that this side had withdrawn, and RDMA ends a connection on
     * which that happens. The peer did nothing wrong, and a new connection will do. A caller that
     * sees this often needs longer deadlines.
     */
    public static final class CallGivenUp extends ConnectionLost {
        private static final long serialVersionUID = 1L;

        /** Which call was given up, in one line for a user. */
        public CallGivenUp(String message) {
            super(message, null);
        }
    }

    /** No reply within the deadline; the call may or may not have been carried out. */
    public static final class TimedOut extends RpcException {
        private static final long serialVersionUID = 1L;

        /** Which deadline has passed, in one line for a user. */
        public TimedOut(String message) {
            super(message, null);
        }
    }

    /** The peer does not let this caller in: MSG_DENIED (RFC 5531, Section 9). */
    public static final class Denied extends RpcException {
        private static final long serialVersionUID = 1L;
        private static final int AUTH_OK = 0;
        private final int status;

        /** Of a peer that speaks other versions of RPC. */
        public Denied(String message) {
            this(message, AUTH_OK);
        }

        /**
         * Why the peer denied the call, in one line for a user, and its status.
         *
         * @param status {@code auth_stat}
         */
        public Denied(String message, int status) {
            super(message, null);
            this.status = status;
        }

        /** {@code auth_stat}; 0, AUTH_OK, if the credential was not the reason. */
        public int status() {
            return status;
        }
    }

    /**
     * Who the two sides are cannot be proved: the caller has no ticket, or the server is not the
     * one that is meant. The call was not carried out.
     */
    public static final class NotAuthenticated extends RpcException {
        private static final long serialVersionUID = 1L;

        /** What could not be proved, in one line for a user. */
        public NotAuthenticated(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The peer took the call and refused it. */
    public static final class Refused extends RpcException {
        private static final long serialVersionUID = 1L;
        private final AcceptStatus status;

        /** A refusal of the peer, in one line for a user, and its status. */
        public Refused(String message, AcceptStatus status) {
            super(message, null);
            this.status = status;
        }

        /** Why it was refused. */
        public AcceptStatus status() {
            return status;
        }
    }

    /**
     * The transport could not carry the call or its reply, for good: an RDMA_ERROR (RFC 8166,
     * Section 4.5). The call may or may not have been carried out.
     */
    public static final class TransportRefused extends RpcException {
        private static final long serialVersionUID = 1L;

        /** A refusal of the transport, in one line for a user. */
        public TransportRefused(String message) {
            super(message, null);
        }
    }

    /** What the peer sent as a reply is not one, or breaks the rules of its program. */
    public static final class BadReply extends RpcException {
        private static final long serialVersionUID = 1L;

        /** What is wrong with the reply, in one line for a user. */
        public BadReply(String message) {
            super(message, null);
        }

        /** Of results that cannot be decoded. */
        public static BadReply of(XdrException malformed) {
            return new BadReply("the server's results make no sense: " + malformed.getMessage());
        }
    }
}
