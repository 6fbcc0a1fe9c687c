package io.github.rpcrdma4j.nfs.nio.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.PathName;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/**
 * Goal: paths are what programs know from other file systems. Method: random paths here and on the
 * file system of this machine.
 */
class PathTextTest {
    private static final List<String> NAMES = List.of("a", "b", "long name", ".", "..", "ä", ".c");
    private static final int ROUNDS = 5_000;

    private static String text(Random random) {
        var text = new StringBuilder(random.nextBoolean() ? "/" : "");
        int names = random.nextInt(5);
        for (int i = 0; i < names; i++) {
            text.append(NAMES.get(random.nextInt(NAMES.size())))
                    .append("/".repeat(random.nextInt(3)));
            text.append(random.nextBoolean() ? "/" : "");
        }
        return text.toString();
    }

    /** Returns the result as text, or that the arguments were refused. */
    private static String outcome(Callable<Object> call) throws Exception {
        try {
            return String.valueOf(call.call());
        } catch (IllegalArgumentException _) {
            return "refused";
        }
    }

    private static void requireEqual(Path one, Path other, PathText first, PathText second)
            throws Exception {
        var what = "\"" + one + "\" and \"" + other + "\"";
        assertEquals(one.toString(), first.toString(), what);
        assertEquals(one.isAbsolute(), first.isAbsolute(), what);
        assertEquals(one.getNameCount(), first.count(), what);
        assertEquals(String.valueOf(one.getParent()), String.valueOf(first.parent()), what);
        assertEquals(one.normalize().toString(), first.normalize().toString(), what);
        assertEquals(one.resolve(other).toString(), first.resolve(second).toString(), what);
        assertEquals(one.startsWith(other), first.startsWith(second), what);
        assertEquals(one.endsWith(other), first.endsWith(second), what);
        assertEquals(one.equals(other), first.equals(second), what);
        assertEquals(
                Integer.signum(one.compareTo(other)),
                Integer.signum(first.compareTo(second)),
                what);
        assertEquals(
                outcome(() -> one.relativize(other)),
                outcome(() -> first.relativize(second)),
                what);
        for (int from = 0; from <= one.getNameCount(); from++) {
            int start = from;
            int end = from + 2;
            assertEquals(
                    outcome(() -> one.subpath(start, end)),
                    outcome(() -> first.sub(start, end)),
                    what);
        }
        if (first.equals(second)) {
            assertEquals(first.hashCode(), second.hashCode());
        }
    }

    @Test
    void pathsAreThoseOfUnix() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < ROUNDS; i++) {
            var one = text(random);
            var other = text(random);
            requireEqual(Path.of(one), Path.of(other), PathText.of(one), PathText.of(other));
        }
    }

    @Test
    void namesOfAnyBytesAreKept() {
        var random = new Random(7);
        for (int i = 0; i < ROUNDS; i++) {
            var bytes = new byte[1 + random.nextInt(12)];
            random.nextBytes(bytes);
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = bytes[at] == 0 || bytes[at] == '/' ? 1 : bytes[at];
            }
            var name = new PathName(bytes);
            var path = PathText.of(name);
            assertEquals(name, path.bytes());
            assertEquals(path, PathText.of(path.toString()));
            var absolute = PathText.ROOT.resolve(path);
            assertEquals(absolute, UriPath.decode(UriPath.of(absolute)));
        }
    }

    @Test
    void whatIsNoBytesIsNoPath() {
        assertThrows(InvalidPathException.class, () -> PathText.of("a\0b"));
        assertThrows(InvalidPathException.class, () -> PathText.of("a\ud800b"));
        assertThrows(InvalidPathException.class, () -> PathText.of("\udc7f"));
        assertEquals("a\ud83d\ude00b", PathText.of("a\ud83d\ude00b").toString());
    }
}
