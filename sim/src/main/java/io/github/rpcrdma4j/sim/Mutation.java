package io.github.rpcrdma4j.sim;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Damages messages as a hostile or defective peer would: bits, bytes, words, lengths and order.
 * Equal random numbers cause equal damage.
 */
public final class Mutation {
    private static final int WORD = 4;
    private static final int DAMAGES = 9;
    private static final int ONE_OF_MORE = 3;
    private static final int APPENDED_MAX = 64;

    /** Word values at which counts, lengths, booleans and types go wrong. */
    private static final int[] WORDS = {
        0,
        1,
        2,
        3,
        4,
        5,
        7,
        8,
        16,
        0x40,
        0xff,
        0x100,
        0x400,
        0xffff,
        0x10000,
        0x1000_0000,
        0x1000_0001,
        0x4000_0000,
        0x7fff_fffc,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_fff0,
        0xffff_fffc,
        0xffff_ffff
    };

    private Mutation() {}

    /**
     * Returns a damaged copy of a message; at random it is damaged more than once.
     *
     * @param message the message to damage, of any length
     * @param other another message, whose end may replace the end of the copy
     */
    public static byte[] of(byte[] message, byte[] other, RandomGenerator random) {
        byte[] damaged = message.clone();
        do {
            damaged = damage(damaged, other, random);
        } while (random.nextInt(ONE_OF_MORE) == 0);
        return damaged;
    }

    private static byte[] damage(byte[] bytes, byte[] other, RandomGenerator random) {
        if (bytes.length < WORD) {
            return appended(bytes, random);
        }
        int at = random.nextInt(bytes.length);
        int word = WORD * random.nextInt(bytes.length / WORD);
        switch (random.nextInt(DAMAGES)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> put(bytes, word, WORDS[random.nextInt(WORDS.length)]);
            case 3 -> put(bytes, word, get(bytes, word) + random.nextInt(-WORD, WORD + 1));
            case 4 -> {
                int from = WORD * random.nextInt(bytes.length / WORD);
                put(bytes, word, get(bytes, from));
            }
            case 5 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 6 -> {
                return appended(bytes, random);
            }
            case 7 -> {
                return cutOut(bytes, word);
            }
            default -> {
                return spliced(bytes, word, other);
            }
        }
        return bytes;
    }

    private static byte[] appended(byte[] bytes, RandomGenerator random) {
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(APPENDED_MAX));
        for (int i = bytes.length; i < longer.length; i++) {
            longer[i] = (byte) random.nextInt();
        }
        return longer;
    }

    private static byte[] cutOut(byte[] bytes, int word) {
        byte[] shorter = Arrays.copyOf(bytes, bytes.length - WORD);
        System.arraycopy(bytes, word + WORD, shorter, word, shorter.length - word);
        return shorter;
    }

    private static byte[] spliced(byte[] bytes, int word, byte[] other) {
        int tail = Math.max(0, other.length - word);
        byte[] both = Arrays.copyOf(bytes, word + tail);
        System.arraycopy(other, other.length - tail, both, word, tail);
        return both;
    }

    private static int get(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    private static void put(byte[] bytes, int at, int word) {
        bytes[at] = (byte) (word >>> 24);
        bytes[at + 1] = (byte) (word >>> 16);
        bytes[at + 2] = (byte) (word >>> 8);
        bytes[at + 3] = (byte) word;
    }
}
