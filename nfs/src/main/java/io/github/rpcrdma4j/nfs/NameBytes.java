package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** What names and paths have in common: bytes, which are text only by agreement. Immutable. */
abstract sealed class NameBytes permits FileName, PathName {
    private static final char REPLACEMENT = '\ufffd';
    private static final int DELETE = 0x7f;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    final byte[] bytes;

    /**
     * @param own not changed any more
     */
    NameBytes(byte[] own) {
        bytes = own;
    }

    /**
     * @throws IllegalArgumentException if UTF-8 has no form for it: a surrogate stands alone
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

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** How many bytes there are. */
    public int length() {
        return bytes.length;
    }

    /** The bytes, not copied and read-only. */
    public MemorySegment segment() {
        return MemorySegment.ofArray(bytes).asReadOnly();
    }

    /**
     * Copies all bytes to memory of the caller, with nothing behind them.
     *
     * @param offset where the first goes, in bytes
     * @throws IndexOutOfBoundsException if there is no room for them
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

    /** Whether this character of ASCII is among them. */
    public boolean contains(char ascii) {
        for (byte each : bytes) {
            if (each == (byte) ascii) {
                return true;
            }
        }
        return false;
    }

    /** Whether they are well-formed UTF-8, so that {@link #toString} loses nothing. */
    public boolean isUtf8() {
        if (isAscii()) {
            return true;
        }
        var text = toString();
        // Malformed bytes become replacement characters; text that has none is good.
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

    /** The text in UTF-8; what is malformed is replaced, so two names may have one text. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * The text in UTF-8 for people to see: no two names have one. What is malformed, controls a
     * terminal or is a backslash is written in hexadecimal, as {@code \xE9}.
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
            // The controls above ASCII have two bytes.
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
        return Arrays.hashCode(bytes);
    }
}
