package io.github.rpcrdma4j.oncrpc.gss;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A mechanism that accepts nearly everything, for tests of the code after the signature check.
 * Almost any token is the last one. Every message integrity code is valid, and no message is
 * encrypted.
 */
final class AcceptAllMechanism implements GssContext.Acceptor {
    private static final byte[] NOTHING = {};

    private final AtomicInteger open = new AtomicInteger();

    /** Returns the number of contexts that were created and not closed. */
    int open() {
        return open.get();
    }

    @Override
    public GssContext accept() {
        open.incrementAndGet();
        return new Context();
    }

    private final class Context implements GssContext {
        private boolean established;
        private boolean closed;

        /**
         * Refuses a token whose first byte is odd. Needs another token if the first byte is zero.
         */
        @Override
        public byte[] step(byte[] token) throws GssException {
            if (token.length > 0 && (token[0] & 1) != 0) {
                throw new GssException("an odd token", 9 << 16, token.length, null);
            }
            established = token.length == 0 || token[0] != 0;
            return token;
        }

        @Override
        public boolean isEstablished() {
            return established;
        }

        @Override
        public String peer() {
            return "anybody@EXAMPLE.ORG";
        }

        @Override
        public Duration lifetime() {
            return Duration.ZERO;
        }

        @Override
        public int micMax() {
            return 0;
        }

        @Override
        public int wrapOverheadMax() {
            return 0;
        }

        @Override
        public byte[] mic(byte[] message) {
            return NOTHING;
        }

        @Override
        public void verify(byte[] message, byte[] mic) {}

        @Override
        public byte[] wrap(byte[] message) {
            return message;
        }

        @Override
        public byte[] unwrap(byte[] wrapped) {
            return wrapped;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                open.decrementAndGet();
            }
        }
    }
}
