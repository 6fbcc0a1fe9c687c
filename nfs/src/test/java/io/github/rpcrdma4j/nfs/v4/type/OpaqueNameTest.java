package io.github.rpcrdma4j.nfs.v4.type;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Goal: an operator reads the names of clients, and cannot take one for another. */
class OpaqueNameTest {
    private static String text(String latin) {
        return OpaqueName.of(latin.getBytes(StandardCharsets.ISO_8859_1)).toString();
    }

    @Test
    void isTextIfAllOfItCanBeRead() {
        assertEquals("Linux NFSv4.2 host", text("Linux NFSv4.2 host"));
        assertEquals("6f70", text("6f70"));
        assertEquals("", text(""));
    }

    @Test
    void marksDigitsOfBytesThatCannotBeRead() {
        assertEquals("hex:6f0a70", text("o\np"));
        assertEquals("hex:e9", text("\u00e9"));
        assertEquals("hex:7f", text("\u007f"));
    }

    @Test
    void noNamePretendsToBeAnother() {
        assertEquals("hex:6865783a3666", text("hex:6f"));
    }
}
