package io.github.rpcrdma4j.interop.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a test covers every difference on the page about Linux. Method: look for the tests that the
 * page names.
 */
class DifferenceTest {
    private static final Path ROOT = Path.of(System.getProperty("project.root"));

    @Test
    void namesTestsThatExist() throws IOException {
        var missing = Difference.KNOWN.stream().map(Difference::test).filter(this::isMissing);
        assertEquals(List.of(), missing.toList());
    }

    private boolean isMissing(String test) {
        int dot = test.indexOf('.');
        var file = test.substring(0, dot) + ".java";
        try (var modules = Files.list(ROOT)) {
            for (var module : modules.toList()) {
                var tests = module.resolve("src/test/java");
                if (Files.isDirectory(tests) && holds(tests, file, test.substring(dot + 1))) {
                    return false;
                }
            }
            return true;
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    private static boolean holds(Path tests, String file, String method) throws IOException {
        try (var all = Files.walk(tests)) {
            for (var each : all.filter(path -> path.endsWith(file)).toList()) {
                if (Files.readString(each).contains("void " + method + "(")) {
                    return true;
                }
            }
            return false;
        }
    }
}
