package io.github.rpcrdma4j.oncrpc.gss;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A mechanism without secrets, with any number of rounds.
 *
 * <pre>
 *   first token:   rounds left, key, the caller's name
 *   other tokens:  rounds left
 *   MIC:           16 bytes of an HMAC
 *   wrapped:       every byte inverted | MIC of the message
 * </pre>
 */
public final class ToyMechanism implements GssContext.Initiator, GssContext.Acceptor {
    private static final int MIC_BYTES = 16;

    private final String caller;
    private final int rounds;
    private volatile Duration lifetime = Duration.ofDays(365 * 50);
    private final AtomicInteger keys = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();

    /**
     * @param rounds the number of tokens that the server processes to complete a context; at least
     *     1
     */
    public ToyMechanism(String caller, int rounds) {
        this.caller = caller;
        this.rounds = rounds;
    }

    /** Sets the lifetime of contexts that are completed from now on. */
    public void lifetime(Duration length) {
        lifetime = length;
    }

    /** Returns the number of contexts that were created and not closed. */
    public int open() {
        return open.get();
    }

    @Override
    public GssContext initiate() {
        return new Context(true);
    }

    @Override
    public GssContext accept() {
        return new Context(false);
    }

    private final class Context implements GssContext {
        private final boolean initiates;
        private boolean established;
        private boolean closed;
        private int key;
        private String peer = "";

        Context(boolean initiates) {
            this.initiates = initiates;
            open.incrementAndGet();
        }

        @Override
        public byte[] step(byte[] token) throws GssException {
            if (initiates && token.length == 0) {
                key = keys.incrementAndGet();
                byte[] name = caller.getBytes(StandardCharsets.UTF_8);
                var first = ByteBuffer.allocate(2 * Integer.BYTES + name.length);
                return first.putInt(rounds).putInt(key).put(name).array();
            }
            if (token.length < Integer.BYTES) {
                throw refusal("this is no token");
            }
            var in = ByteBuffer.wrap(token);
            int left = in.getInt();
            if (initiates) {
                established = left == 0;
                return token(left);
            }
            if (peer.isEmpty()) {
                if (in.remaining() < Integer.BYTES + 1) {
                    throw refusal("nobody is named");
                }
                key = in.getInt();
                peer = StandardCharsets.UTF_8.decode(in).toString();
            }
            if (peer.equals("mallory")) {
                throw refusal("mallory is not let in");
            }
            established = left == 1;
            return token(left - 1);
        }

        private static byte[] token(int left) {
            return ByteBuffer.allocate(Integer.BYTES).putInt(left).array();
        }

        private static GssException refusal(String why) {
            return new GssException(why, 9 << 16, 77, null);
        }

        @Override
        public boolean isEstablished() {
            return established;
        }

        @Override
        public String peer() {
            return peer;
        }

        @Override
        public Duration lifetime() {
            return lifetime;
        }

        @Override
        public int micMax() {
            return MIC_BYTES;
        }

        @Override
        public int wrapOverheadMax() {
            return MIC_BYTES;
        }

        @Override
        public byte[] mic(byte[] message) throws GssException {
            if (closed) {
                throw refusal("the context is closed");
            }
            try {
                var mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(token(key), "HmacSHA256"));
                return Arrays.copyOf(mac.doFinal(message), MIC_BYTES);
            } catch (GeneralSecurityException impossible) {
                throw new AssertionError(impossible);
            }
        }

        @Override
        public void verify(byte[] message, byte[] mic) throws GssException {
            if (!Arrays.equals(mic, mic(message))) {
                throw refusal("the signature is wrong");
            }
        }

        @Override
        public byte[] wrap(byte[] message) throws GssException {
            byte[] wrapped = Arrays.copyOf(message, message.length + MIC_BYTES);
            for (int i = 0; i < message.length; i++) {
                wrapped[i] = (byte) ~message[i];
            }
            System.arraycopy(mic(message), 0, wrapped, message.length, MIC_BYTES);
            return wrapped;
        }

        @Override
        public byte[] unwrap(byte[] wrapped) throws GssException {
            if (wrapped.length < MIC_BYTES) {
                throw refusal("nothing is wrapped");
            }
            byte[] message = Arrays.copyOf(wrapped, wrapped.length - MIC_BYTES);
            for (int i = 0; i < message.length; i++) {
                message[i] = (byte) ~message[i];
            }
            verify(message, Arrays.copyOfRange(wrapped, message.length, wrapped.length));
            return message;
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
