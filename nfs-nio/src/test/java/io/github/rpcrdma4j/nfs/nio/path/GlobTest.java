package io.github.rpcrdma4j.nfs.nio.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;

/**
 * Goal: a glob matches what it matches in other file systems. Method: random globs and paths here
 * and on the file system of this machine.
 */
class GlobTest {
    private static final String[] PARTS = {
        "*", "**", "?", "[a-c]", "[!a]", "[-a]", "[a-]", "[.^&]", "{a,b}", "{a*,/b}", "a", "b", ".",
        "/", "\\*", "\\[", "$", "(", "+", ","
    };
    private static final String[] CHARACTERS = {"a", "b", "c", "*", "[", ".", "/", "$", "(", "-"};
    private static final int ROUNDS = 50_000;

    private static String text(String[] parts, Random random) {
        var text = new StringBuilder();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            text.append(parts[random.nextInt(parts.length)]);
        }
        return text.toString();
    }

    @Test
    void globsMatchAsElsewhere() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < ROUNDS; i++) {
            var glob = text(PARTS, random);
            var path = Path.of(text(CHARACTERS, random));
            var here = FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(path);
            var pattern = Glob.pattern(glob);
            assertEquals(
                    here,
                    pattern.matcher(path.toString()).matches(),
                    "glob " + glob + ", path " + path + ", regex " + pattern);
        }
    }

    @Test
    void malformedGlobsAreRefused() {
        for (var glob : List.of("\\", "[a", "[a/b]", "[c-a]", "{a", "{a{b}}")) {
            assertThrows(PatternSyntaxException.class, () -> Glob.pattern(glob), glob);
        }
    }

    @Test
    void aNameMayHaveLineBreaksAndOtherBytes() {
        assertTrue(Glob.pattern("a*b").matcher("a\n\udcffb").matches());
        assertTrue(Glob.pattern("**").matcher("a\n/b").matches());
    }
}
