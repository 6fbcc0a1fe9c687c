package io.github.rpcrdma4j.nfs.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Converts bytes to text and back without loss. Valid UTF-8 becomes its characters; each other byte
 * becomes a lone surrogate from U+DC80 on, as in Python (PEP 383).
 */
public final class RawText {
    private static final int FIRST = 0xdc00;
    private static final int LOWEST = 0xdc80;
    private static final int HIGHEST = 0xdcff;

    private RawText() {}

    /** Returns the text of bytes. */
    public static String of(byte[] bytes) {
        var text = new StringBuilder(bytes.length);
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length);
        while (true) {
            out.clear();
            decoder.reset();
            var result = decoder.decode(in, out, true);
            text.append(out.flip());
            if (result.isUnderflow()) {
                return text.toString();
            }
            for (int i = 0; i < result.length(); i++) {
                text.append((char) (FIRST + (in.get() & 0xff)));
            }
        }
    }

    /** Returns whether a character that is no part of a pair stands for a byte. */
    public static boolean isByte(char character) {
        return character >= LOWEST && character <= HIGHEST;
    }

    /** Returns the bytes of a text. Other lone surrogates become question marks. */
    public static byte[] bytes(String text) {
        var bytes = new ByteArrayOutputStream(text.length());
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            boolean alone =
                    isByte(each) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
            if (alone) {
                bytes.writeBytes(text.substring(from, i).getBytes(StandardCharsets.UTF_8));
                bytes.write(each - FIRST);
                from = i + 1;
            }
        }
        bytes.writeBytes(text.substring(from).getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }
}
