package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.RawText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a name on a terminal is one word for a shell, and contains no control characters. */
class QuotedNameTest {
    private static final int NAMES = 2000;

    /** The output of GNU ls 9.1 with {@code --quoting-style=shell-escape}. */
    private static final Map<String, String> OF_LS =
            Map.ofEntries(
                    Map.entry("plain", "plain"),
                    Map.entry("a b", "'a b'"),
                    Map.entry("it's", "\"it's\""),
                    Map.entry("it's $x", "'it'\\''s $x'"),
                    Map.entry("x\ny", "'x'$'\\n''y'"),
                    Map.entry("\u001b[31m", "''$'\\033''[31m'"),
                    Map.entry("caf\udce9", "'caf'$'\\351'"),
                    Map.entry("caf\udce9x", "'caf'$'\\351''x'"),
                    Map.entry("ü☃", "ü☃"),
                    Map.entry("a\"b", "'a\"b'"),
                    Map.entry("#x", "'#x'"),
                    Map.entry("x#", "x#"),
                    Map.entry("~x", "'~x'"),
                    Map.entry("x~", "x~"),
                    Map.entry("a=b", "'a=b'"),
                    Map.entry("a*", "'a*'"),
                    Map.entry("a]", "a]"),
                    Map.entry("a\\b", "'a\\b'"),
                    Map.entry("-x", "-x"),
                    Map.entry("a,b:c%d@e+f", "a,b:c%d@e+f"),
                    Map.entry("\t", "''$'\\t'"),
                    Map.entry("\u007f", "''$'\\177'"),
                    Map.entry("\u0085", "''$'\\302\\205'"));

    @TempDir private Path directory;

    @Test
    void quotesAsLsDoes() {
        OF_LS.forEach((name, shown) -> assertEquals(shown, QuotedName.quoted(name)));
    }

    @Test
    void printsTheBytesWhereNoTerminalIs() {
        var name = new FileName(new byte[] {'a', '\n', (byte) 0xe9});
        assertEquals("a\n\udce9", new QuotedName(false).of(name));
        assertEquals("'a'$'\\n\\351'", new QuotedName(true).of(name));
    }

    @Test
    void aShellReadsBackTheBytesOfAnyName() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        var random = new Random(seed);
        var script = new StringBuilder("printf '%s\\0'");
        var expected = new ByteArrayOutputStream();
        for (int i = 0; i < NAMES; i++) {
            byte[] name = new byte[1 + random.nextInt(12)];
            for (int at = 0; at < name.length; at++) {
                int any = 1 + random.nextInt(255);
                name[at] = (byte) (random.nextBoolean() ? any : "'$\\\"\n é-".charAt(any % 8));
            }
            var shown = new QuotedName(true).of(new FileName(name));
            assertTrue(shown.chars().noneMatch(Character::isISOControl), () -> seed + ": " + shown);
            script.append(' ').append(shown);
            expected.write(name);
            expected.write(0);
        }
        var file = directory.resolve("script");
        Files.write(file, RawText.bytes(script.toString()));
        var shell = new ProcessBuilder("bash", file.toString()).start();
        assertArrayEquals(
                expected.toByteArray(),
                shell.getInputStream().readAllBytes(),
                () -> "seed " + seed + new String(expected.toByteArray(), StandardCharsets.UTF_8));
    }
}
