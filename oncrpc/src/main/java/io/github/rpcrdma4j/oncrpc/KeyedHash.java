package io.github.rpcrdma4j.oncrpc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Hash codes of keys that a peer chooses. The hash of {@link Arrays#hashCode(byte[])}, of strings
 * and of records is known to everybody, so a peer can choose thousands of keys with one hash code,
 * and a hash map compares each of them with all others. The hash codes of the static methods depend
 * on a random key of this process: they differ from one process to the next and must not be stored
 * or sent.
 *
 * <p>They are the lower half of SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF", 2012). Thread-safe.
 */
public final class KeyedHash {
    private static final int COMPRESSIONS = 2;
    private static final int FINALIZATIONS = 4;

    /** The eighth byte of the last word is the number of bytes. */
    private static final int LENGTH_SHIFT = 56;

    /** Characters of a word. */
    private static final int CHARACTERS = Long.BYTES / Character.BYTES;

    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final KeyedHash OF_PROCESS = random();

    private final long upper;
    private final long lower;

    /**
     * Makes hash codes with a key, which is secret.
     *
     * @param lower the first 8 bytes of the key, the first one in the lowest bits
     * @param upper the last 8 bytes of the key
     */
    public KeyedHash(long lower, long upper) {
        this.lower = lower;
        this.upper = upper;
    }

    /** Returns one with a random key. */
    public static KeyedHash random() {
        var random = new SecureRandom();
        return new KeyedHash(random.nextLong(), random.nextLong());
    }

    /** Returns the hash code of bytes. */
    public static int of(byte[] bytes) {
        return (int) OF_PROCESS.hash(bytes);
    }

    /** Returns the hash code of a text. */
    public static int of(String text) {
        return (int) OF_PROCESS.hash(text);
    }

    /**
     * Returns the hash code of numbers in an order, which may themselves be hash codes of this
     * class.
     */
    public static int of(long... numbers) {
        return OF_PROCESS.code(numbers);
    }

    /**
     * Returns the hash code of numbers in their order. Equal keys give equal codes, in all
     * processes. Thread-safe.
     */
    public int code(long... numbers) {
        var state = new State(this);
        for (long number : numbers) {
            state.add(number);
        }
        return (int) state.end(numbers.length * Long.BYTES, 0);
    }

    /** Returns SipHash-2-4 of bytes. */
    long hash(byte[] bytes) {
        var state = new State(this);
        int whole = bytes.length & -Long.BYTES;
        for (int i = 0; i < whole; i += Long.BYTES) {
            state.add((long) WORD.get(bytes, i));
        }
        long rest = 0;
        for (int i = bytes.length - 1; i >= whole; i--) {
            rest = rest << Byte.SIZE | bytes[i] & 0xff;
        }
        return state.end(bytes.length, rest);
    }

    /** Returns SipHash-2-4 of the characters of a text, each of two bytes, the lower one first. */
    long hash(String text) {
        var state = new State(this);
        int whole = text.length() & -CHARACTERS;
        for (int i = 0; i < whole; i += CHARACTERS) {
            state.add(word(text, i, i + CHARACTERS));
        }
        return state.end(text.length() * Character.BYTES, word(text, whole, text.length()));
    }

    private static long word(String text, int from, int to) {
        long word = 0;
        for (int i = to - 1; i >= from; i--) {
            word = word << Character.SIZE | text.charAt(i);
        }
        return word;
    }

    /** The four words of SipHash, and the rotations of its round. */
    private static final class State {
        private long v0;
        private long v1;
        private long v2;
        private long v3;

        State(KeyedHash key) {
            v0 = key.lower ^ 0x736f6d6570736575L;
            v1 = key.upper ^ 0x646f72616e646f6dL;
            v2 = key.lower ^ 0x6c7967656e657261L;
            v3 = key.upper ^ 0x7465646279746573L;
        }

        void add(long word) {
            v3 ^= word;
            rounds(COMPRESSIONS);
            v0 ^= word;
        }

        /**
         * @param rest the bytes after the last whole word
         */
        long end(int bytes, long rest) {
            add((long) bytes << LENGTH_SHIFT | rest);
            v2 ^= 0xff;
            rounds(FINALIZATIONS);
            return v0 ^ v1 ^ v2 ^ v3;
        }

        private void rounds(int count) {
            for (int i = 0; i < count; i++) {
                v0 += v1;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v3;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 += v3;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 += v1;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v2 = Long.rotateLeft(v2, 32);
            }
        }
    }
}
