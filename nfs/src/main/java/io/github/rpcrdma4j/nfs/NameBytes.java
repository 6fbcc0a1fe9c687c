package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The bytes of a name or a path, which are text only by convention. Immutable.
 *
 * <p>Tests: {@code NamesTest}.
 */
abstract sealed class NameBytes permits FileName, PathName {
    private static final char REPLACEMENT = '\ufffd';
    private static final int DELETE = 0x7f;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    final byte[] bytes;

    /**
     * @param own not copied; the caller must not change them any more
     */
    NameBytes(byte[] own) {
        bytes = own;
    }

    /**
     * @throws IllegalArgumentException if UTF-8 cannot encode the text because of an unpaired
     *     surrogate
     */
    static byte[] utf8(String text) {
        try {
            var encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("not text: " + text, malformed);
        }
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the number of bytes. */
    public int length() {
        return bytes.length;
    }

    /** Returns a read-only view of the bytes, without a copy. */
    public MemorySegment segment() {
        return MemorySegment.ofArray(bytes).asReadOnly();
    }

    /**
     * Copies all bytes to the caller's memory, without a terminator.
     *
     * @param offset where to put the first byte, in bytes
     * @throws IndexOutOfBoundsException if they do not fit
     */
    public void copyTo(MemorySegment target, long offset) {
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    /**
     * Writes an XDR string: the length, the bytes, the padding.
     *
     * @return the writer
     */
    public XdrWriter encode(XdrWriter out) {
        return out.opaque(bytes);
    }

    /** Returns whether the bytes contain this ASCII character. */
    public boolean contains(char ascii) {
        for (byte each : bytes) {
            if (each == (byte) ascii) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the bytes are well-formed UTF-8, so that {@link #toString} loses nothing. */
    public boolean isUtf8() {
        if (isAscii()) {
            return true;
        }
        var text = toString();
        // Malformed bytes become replacement characters, so text without them was well-formed.
        return text.indexOf(REPLACEMENT) < 0
                || Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8));
    }

    private boolean isAscii() {
        for (byte each : bytes) {
            if (each < 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the bytes decoded as UTF-8. Malformed bytes are replaced, so two different names may
     * have the same text.
     */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Returns the bytes decoded as UTF-8 for display; different names have different texts.
     * Malformed bytes, control characters and backslashes appear in hexadecimal, as {@code \xE9}.
     */
    public String escaped() {
        var shown = new StringBuilder(bytes.length);
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length);
        while (true) {
            out.clear();
            decoder.reset();
            var result = decoder.decode(in, out, true);
            out.flip().chars().forEach(each -> show(shown, each));
            if (result.isUnderflow()) {
                return shown.toString();
            }
            for (int i = 0; i < result.length(); i++) {
                escape(shown, in.get() & 0xff);
            }
        }
    }

    private static void show(StringBuilder shown, int character) {
        if (!Character.isISOControl(character) && character != '\\') {
            shown.append((char) character);
        } else if (character <= DELETE) {
            escape(shown, character);
        } else {
            // Control characters above ASCII take two bytes in UTF-8.
            for (byte each : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
                escape(shown, each & 0xff);
            }
        }
    }

    private static void escape(StringBuilder shown, int value) {
        shown.append("\\x").append(HEX.toHexDigits((byte) value));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NameBytes name
                && name.getClass() == getClass()
                && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(bytes);
    }
}
