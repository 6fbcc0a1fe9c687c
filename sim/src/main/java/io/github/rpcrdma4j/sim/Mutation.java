package io.github.rpcrdma4j.sim;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Damages messages, as a hostile or a broken peer would: bits, octets, words, lengths, order. The
 * same random numbers do the same damage.
 */
public final class Mutation {
    private static final int WORD = 4;
    private static final int DAMAGES = 9;
    private static final int ONE_OF_MORE = 3;
    private static final int APPENDED_MAX = 64;

    /** Words at which counts, lengths, booleans and kinds go wrong. */
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
     * A damaged copy; sometimes damaged more than once.
     *
     * @param message what to damage, of any length
     * @param other another message, of which it may get a part
     */
    public static byte[] of(byte[] message, byte[] other, RandomGenerator random) {
        byte[] damaged = message.clone();
        do {
            damaged = damage(damaged, other, random);
        } while (random.nextInt(ONE_OF_MORE) == 0);
        return damaged;
    }

    private static byte[] damage(byte[] octets, byte[] other, RandomGenerator random) {
        if (octets.length < WORD) {
            return appended(octets, random);
        }
        int at = random.nextInt(octets.length);
        int word = WORD * random.nextInt(octets.length / WORD);
        switch (random.nextInt(DAMAGES)) {
            case 0 -> octets[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            case 1 -> octets[at] = (byte) random.nextInt();
            case 2 -> put(octets, word, WORDS[random.nextInt(WORDS.length)]);
            case 3 -> put(octets, word, get(octets, word) + random.nextInt(-WORD, WORD + 1));
            case 4 -> {
                int from = WORD * random.nextInt(octets.length / WORD);
                put(octets, word, get(octets, from));
            }
            case 5 -> {
                return Arrays.copyOf(octets, at);
            }
            case 6 -> {
                return appended(octets, random);
            }
            case 7 -> {
                return cutOut(octets, word);
            }
            default -> {
                return spliced(octets, word, other);
            }
        }
        return octets;
    }

    private static byte[] appended(byte[] octets, RandomGenerator random) {
        byte[] longer = Arrays.copyOf(octets, octets.length + 1 + random.nextInt(APPENDED_MAX));
        for (int i = octets.length; i < longer.length; i++) {
            longer[i] = (byte) random.nextInt();
        }
        return longer;
    }

    private static byte[] cutOut(byte[] octets, int word) {
        byte[] shorter = Arrays.copyOf(octets, octets.length - WORD);
        System.arraycopy(octets, word + WORD, shorter, word, shorter.length - word);
        return shorter;
    }

    private static byte[] spliced(byte[] octets, int word, byte[] other) {
        int tail = Math.max(0, other.length - word);
        byte[] both = Arrays.copyOf(octets, word + tail);
        System.arraycopy(other, other.length - tail, both, word, tail);
        return both;
    }

    private static int get(byte[] octets, int at) {
        return (octets[at] & 0xff) << 24
                | (octets[at + 1] & 0xff) << 16
                | (octets[at + 2] & 0xff) << 8
                | (octets[at + 3] & 0xff);
    }

    private static void put(byte[] octets, int at, int word) {
        octets[at] = (byte) (word >>> 24);
        octets[at + 1] = (byte) (word >>> 16);
        octets[at + 2] = (byte) (word >>> 8);
        octets[at + 3] = (byte) word;
    }
}
