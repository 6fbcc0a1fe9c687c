package io.github.rpcrdma4j.rpcrdma.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Bytes of a message that a test writes word by word. Immutable. */
public record Words(byte[] bytes) {
    private static final int SHOWN = 128;

    public static final Words NONE = new Words(new byte[0]);

    public static Words of(int... words) {
        return NONE.word(words);
    }

    /** Returns the bytes of hexadecimal digits, between which there may be spaces. */
    public static Words hex(String digits) {
        return new Words(HexFormat.of().parseHex(digits.replaceAll("\\s", "")));
    }

    public Words word(int... words) {
        var more = ByteBuffer.allocate(words.length * Integer.BYTES);
        for (int word : words) {
            more.putInt(word);
        }
        return and(more.array());
    }

    public Words twoWords(long value) {
        return word((int) (value >>> Integer.SIZE), (int) value);
    }

    public Words and(Words more) {
        return and(more.bytes);
    }

    private Words and(byte[] more) {
        byte[] all = Arrays.copyOf(bytes, bytes.length + more.length);
        System.arraycopy(more, 0, all, bytes.length, more.length);
        return new Words(all);
    }

    /** Adds a length, data and padding (RFC 4506, Section 4.10). */
    public Words opaque(byte[] data) {
        return word(data.length).and(Arrays.copyOf(data, (data.length + 3) & ~3));
    }

    public int length() {
        return bytes.length;
    }

    public int at(int index) {
        return ByteBuffer.wrap(bytes).getInt(index * Integer.BYTES);
    }

    /** Returns the words from an index on. */
    public Words from(int index) {
        return new Words(Arrays.copyOfRange(bytes, index * Integer.BYTES, bytes.length));
    }

    /** Returns the first words. */
    public Words to(int count) {
        return new Words(Arrays.copyOf(bytes, count * Integer.BYTES));
    }

    /** Checks that a message is this one; a failure shows where they part. */
    public void requireSame(Words actual) {
        int at = Arrays.mismatch(bytes, actual.bytes);
        if (at >= 0) {
            int index = Math.max(0, at / Integer.BYTES - 2);
            assertEquals(
                    around(index),
                    actual.around(index),
                    "from word "
                            + index
                            + " on; expected are "
                            + length()
                            + " bytes, and there are "
                            + actual.length());
        }
    }

    private String around(int index) {
        int from = Math.min(length(), index * Integer.BYTES);
        int to = Math.min(length(), from + SHOWN);
        return new Words(Arrays.copyOfRange(bytes, from, to)).toString();
    }

    /** Returns the words in hexadecimal, eight in a line. */
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            text.append(HexFormat.of().toHexDigits(bytes[i]));
            if (i % 4 == 3) {
                text.append(i % 32 == 31 ? '\n' : ' ');
            }
        }
        return text.toString().strip();
    }
}
