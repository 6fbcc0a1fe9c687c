package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: modes change as by the system's own chmod. Method: compare random changes. */
class ModeChangeTest {
    private static final int CHANGES = 300;
    private static final int UMASK = 027;

    @TempDir private Path directory;

    private static String random(Random random, String letters, int least, int most) {
        var text = new StringBuilder();
        for (int i = random.nextInt(least, most + 1); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    private static String change(Random random) {
        if (random.nextInt(4) == 0) {
            return random(random, "01234567", 3, 4);
        }
        var clauses = new ArrayList<String>();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            var clause = new StringBuilder(random(random, "ugoa", 0, 2));
            for (int j = random.nextInt(1, 3); j > 0; j--) {
                clause.append(random(random, "+-=", 1, 1));
                clause.append(
                        random.nextInt(4) == 0
                                ? random(random, "ugo", 1, 1)
                                : random(random, "rwxXst", 0, 3));
            }
            clauses.add(clause.toString());
        }
        return String.join(",", clauses);
    }

    private record Try(int mode, boolean isDirectory, String change) {}

    @Test
    void changesModesAsTheSystemDoes() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var tries = new ArrayList<Try>();
        var script = new StringBuilder("umask %o\n".formatted(UMASK));
        for (int i = 0; i < CHANGES; i++) {
            var each = new Try(random.nextInt(010000), random.nextBoolean(), change(random));
            tries.add(each);
            script.append(each.isDirectory ? "mkdir " : ": > ").append("f\n");
            // Five digits also clear the set-ID bits of a directory.
            script.append("chmod 0%04o f\n".formatted(each.mode));
            script.append("chmod -- '%s' f 2>/dev/null || true\n".formatted(each.change));
            script.append("stat -c %a f; rm -rf f\n");
        }
        var printed = run(script.toString());
        assertEquals(CHANGES, printed.size());
        for (int i = 0; i < CHANGES; i++) {
            var each = tries.get(i);
            int changed = ModeChange.parse(each.change, UMASK).apply(each.mode, each.isDirectory);
            assertEquals(printed.get(i), Integer.toOctalString(changed), each::toString);
        }
    }

    private List<String> run(String script) throws IOException {
        var process =
                new ProcessBuilder("sh", "-c", script)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
        try (var reader = process.inputReader()) {
            return reader.lines().toList();
        }
    }

    @Test
    void refusesWhatIsNoMode() {
        for (var text : List.of("", "8", "77777", "u", "u+q", "+x,", "a=rwx,,o=", "u+xg")) {
            assertThrows(IllegalArgumentException.class, () -> ModeChange.parse(text, 0), text);
        }
    }
}
