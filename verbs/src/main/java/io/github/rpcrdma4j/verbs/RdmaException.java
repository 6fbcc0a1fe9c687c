package io.github.rpcrdma4j.verbs;

import java.io.IOException;

/** Connecting, listening or a connection failed. The message is one line for a user. */
public sealed class RdmaException extends IOException {
    private static final long serialVersionUID = 1L;

    private RdmaException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The address cannot be resolved, bound or reached. */
    public static final class Unreachable extends RdmaException {
        private static final long serialVersionUID = 1L;

        /** Why the peer cannot be reached, in one line for a user. */
        public Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The peer answered, and said no. */
    public static final class Rejected extends RdmaException {
        private static final long serialVersionUID = 1L;
        private final byte[] privateData;

        /** A rejection, with what the peer said. */
        public Rejected(String message, byte[] privateData) {
            super(message, null);
            this.privateData = privateData.clone();
        }

        /** What the peer said with its refusal. */
        public byte[] privateData() {
            return privateData.clone();
        }
    }

    /** What answered does not speak the protocol, or breaks it. */
    public static final class ProtocolViolation extends RdmaException {
        private static final long serialVersionUID = 1L;

        /** What the peer did wrong, in one line for a user. */
        public ProtocolViolation(String message) {
            super(message, null);
        }
    }

    /** No answer within the deadline. */
    public static final class TimedOut extends RdmaException {
        private static final long serialVersionUID = 1L;

        /** Which bound has passed, in one line for a user. */
        public TimedOut(String message) {
            super(message, null);
        }
    }

    /** The connection or the listener is gone. */
    public static final class ConnectionLost extends RdmaException {
        private static final long serialVersionUID = 1L;

        /** Why the connection was lost, in one line for a user. */
        public ConnectionLost(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
