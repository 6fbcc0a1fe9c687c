package io.github.rpcrdma4j.verbs;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The failure to connect or to listen, or the loss of a connection. The message is one line for a
 * user.
 */
public sealed class RdmaException extends IOException {
    private static final long serialVersionUID = 1L;

    private RdmaException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns an address as messages name it: the host, in brackets if it has a colon, and the
     * port. It looks no name up.
     */
    public static String nameOf(InetSocketAddress address) {
        var host = address.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** The address cannot be resolved, bound or reached. */
    public static final class Unreachable extends RdmaException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: why the address cannot be resolved, bound or reached
         */
        public Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The peer rejected the connection. */
    public static final class Rejected extends RdmaException {
        private static final long serialVersionUID = 1L;
        private final byte[] privateData;

        /**
         * Creates the exception.
         *
         * @param message one line for a user
         * @param privateData the private data of the rejection
         */
        public Rejected(String message, byte[] privateData) {
            super(message, null);
            this.privateData = privateData.clone();
        }

        /** Returns a copy of the peer's private data in its rejection. */
        public byte[] privateData() {
            return privateData.clone();
        }
    }

    /** The peer has another protocol, or violates this one. */
    public static final class ProtocolViolation extends RdmaException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: what the peer did wrong
         */
        public ProtocolViolation(String message) {
            super(message, null);
        }
    }

    /** The peer did not answer within the timeout. */
    public static final class TimedOut extends RdmaException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param message one line for a user: which time limit has passed
         */
        public TimedOut(String message) {
            super(message, null);
        }
    }

    /** The connection was lost, or the listener was closed or failed. */
    public static final class ConnectionLost extends RdmaException {
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
}
