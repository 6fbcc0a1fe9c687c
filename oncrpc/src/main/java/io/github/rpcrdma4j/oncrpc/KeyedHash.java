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

    private static final Words<long[]> NUMBERS = (numbers, index) -> numbers[index];
    private static final Words<byte[]> BYTES =
            (bytes, index) -> (long) WORD.get(bytes, index * Long.BYTES);
    private static final Words<String> TEXT =
            (text, index) -> word(text, index * CHARACTERS, (index + 1) * CHARACTERS);

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

    /** Likewise of two numbers. */
    public static int of(long first, long second) {
        return OF_PROCESS.code(first, second);
    }

    /**
     * Returns the hash code of numbers in their order. Equal keys give equal codes, in all
     * processes. Thread-safe.
     */
    public int code(long... numbers) {
        return (int) hash(NUMBERS, numbers, numbers.length, 0, numbers.length * Long.BYTES);
    }

    /** Likewise of two numbers. */
    public int code(long first, long second) {
        return (int) hash(null, null, first, second, 2, 0, 2 * Long.BYTES);
    }

    /** Returns SipHash-2-4 of bytes. */
    long hash(byte[] bytes) {
        int words = bytes.length / Long.BYTES;
        long rest = 0;
        for (int i = bytes.length - 1; i >= words * Long.BYTES; i--) {
            rest = rest << Byte.SIZE | bytes[i] & 0xff;
        }
        return hash(BYTES, bytes, words, rest, bytes.length);
    }

    /** Returns SipHash-2-4 of the characters of a text, each of two bytes, the lower one first. */
    long hash(String text) {
        int words = text.length() / CHARACTERS;
        long rest = word(text, words * CHARACTERS, text.length());
        return hash(TEXT, text, words, rest, text.length() * Character.BYTES);
    }

    private static long word(String text, int from, int to) {
        long word = 0;
        for (int i = to - 1; i >= from; i--) {
            word = word << Character.SIZE | text.charAt(i);
        }
        return word;
    }

    /** The whole words of an input. It holds nothing, so that a hash makes no object. */
    private interface Words<T> {
        long at(T input, int index);
    }

    private <T> long hash(Words<T> from, T input, int words, long rest, int bytes) {
        return hash(from, input, 0, 0, words, rest, bytes);
    }

    /**
     * Returns SipHash-2-4.
     *
     * @param from gives the words; null if they are the first and the second one
     * @param words how many whole words the input has
     * @param rest the bytes after them
     * @param bytes the length of the input
     */
    private <T> long hash(
            Words<T> from, T input, long first, long second, int words, long rest, int bytes) {
        long v0 = lower ^ 0x736f6d6570736575L;
        long v1 = upper ^ 0x646f72616e646f6dL;
        long v2 = lower ^ 0x6c7967656e657261L;
        long v3 = upper ^ 0x7465646279746573L;
        long last = (long) bytes << LENGTH_SHIFT | rest;
        for (int i = 0; i <= words + 1; i++) {
            boolean isEnd = i > words;
            long word =
                    isEnd
                            ? 0
                            : i == words
                                    ? last
                                    : from != null ? from.at(input, i) : i == 0 ? first : second;
            v2 ^= isEnd ? 0xff : 0;
            v3 ^= word;
            for (int round = isEnd ? FINALIZATIONS : COMPRESSIONS; round > 0; round--) {
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
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
