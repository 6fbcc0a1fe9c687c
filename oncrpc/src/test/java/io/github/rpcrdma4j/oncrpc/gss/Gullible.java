package io.github.rpcrdma4j.oncrpc.gss;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A mechanism that believes whatever it is told, so that what lies behind the signatures can be
 * tried: any token is the last one, any code is right, and nothing is encrypted.
 */
final class Gullible implements GssContext.Acceptor {
    private static final byte[] NOTHING = {};

    private final AtomicInteger open = new AtomicInteger();

    /** Contexts that were made and not closed. */
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

        /** What begins with an odd byte is refused, with a zero another token is wanted. */
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
