package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: {@code --include} and {@code --exclude} select the files that rsync selects. */
class FilterRuleTest {
    private static final List<String> DIRECTORIES =
            List.of("a", "a/a", "a/b", "a/b/a", "ab", "ab/b", "b", "b/ab", "b/ab/a", ".a");

    private static final List<String> FILES =
            List.of(
                    "f",
                    "a/f",
                    "a/a/f",
                    "a/b/f",
                    "a/b/a/f",
                    "a/b/a/b",
                    "ab/b/f",
                    "ab/f",
                    "b/a",
                    "b/ab/f",
                    "b/ab/a/f",
                    "ba",
                    ".a/f",
                    "b/.f",
                    "a/b/f.o",
                    "f.o",
                    "ab/b/f.o");

    /** What the rules leave of the tree. Written down from the answers of rsync 3.5.0. */
    private record Row(List<String> rules, List<String> left) {}

    private static final List<Row> TABLE =
            List.of(
                    new Row(List.of("-*"), List.of()),
                    new Row(
                            List.of("-**/f", "-*.o", "-.*", "-b/"),
                            List.of("a", "a/a", "ab", "ba")),
                    new Row(
                            List.of("+*/", "+*.o", "-*"),
                            withDirectories("a/b/f.o", "ab/b/f.o", "f.o")),
                    new Row(
                            List.of("+/a", "+/a/b/***", "-*"),
                            List.of("a", "a/b", "a/b/a", "a/b/a/b", "a/b/a/f", "a/b/f", "a/b/f.o")),
                    new Row(List.of("+/a/", "+b/f", "-*"), List.of("a")),
                    new Row(List.of("-*", "+f"), List.of()),
                    new Row(List.of("-/*/", "-f.o"), List.of("ba", "f")));

    @TempDir private Path directory;

    private static List<String> withDirectories(String... files) {
        var all = new TreeSet<>(DIRECTORIES);
        all.addAll(List.of(files));
        return List.copyOf(all);
    }

    private static List<FilterRule> rules(List<String> words) {
        return words.stream()
                .map(each -> FilterRule.parse(each.startsWith("+"), each.substring(1)))
                .toList();
    }

    private static List<String> selected(List<FilterRule> rules) {
        var left = new TreeSet<String>();
        for (var path : DIRECTORIES) {
            if (isLeft(rules, path, FileType.DIRECTORY)) {
                left.add(path);
            }
        }
        for (var path : FILES) {
            if (isLeft(rules, path, FileType.REGULAR)) {
                left.add(path);
            }
        }
        return List.copyOf(left);
    }

    private static boolean isLeft(List<FilterRule> rules, String path, FileType type) {
        int slash = path.lastIndexOf('/');
        return (slash < 0 || isLeft(rules, path.substring(0, slash), FileType.DIRECTORY))
                && FilterRule.selects(rules, PathName.of(path), type);
    }

    @Test
    void selectsAsInTheTable() {
        for (var row : TABLE) {
            assertEquals(row.left, selected(rules(row.rules)), row.rules::toString);
        }
    }

    @Test
    void selectsWhatRsyncSelects() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/rsync")), "there is no rsync");
        var source = Files.createDirectory(directory.resolve("source"));
        var target = Files.createDirectory(directory.resolve("target"));
        for (var each : DIRECTORIES) {
            Files.createDirectory(source.resolve(each));
        }
        for (var each : FILES) {
            Files.createFile(source.resolve(each));
        }
        for (var row : TABLE) {
            assertEquals(rsync(row.rules, source, target), row.left, row.rules::toString);
        }
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < 120; i++) {
            var words = new ArrayList<String>();
            int count = 1 + random.nextInt(3);
            for (int k = 0; k < count; k++) {
                words.add((random.nextInt(3) == 0 ? "+" : "-") + pattern(random));
            }
            assertEquals(
                    rsync(words, source, target),
                    selected(rules(words)),
                    () -> "seed " + seed + ", rules " + words);
        }
    }

    private static String pattern(Random random) {
        var parts = List.of("a", "b", "f", "/", "/", "*", "**", "***", "?", "[ab]", "[!a]", ".");
        var text = new StringBuilder();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            text.append(parts.get(random.nextInt(parts.size())));
        }
        // An empty pattern between slashes is refused here, and matches nothing there.
        return text.toString().matches("/+") ? "/a" : text.toString();
    }

    private static List<String> rsync(List<String> rules, Path source, Path target)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("/usr/bin/rsync", "-rn", "--out-format=%n"));
        for (var each : rules) {
            command.add((each.startsWith("+") ? "--include=" : "--exclude=") + each.substring(1));
        }
        command.add(source + "/");
        command.add(target + "/");
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var lines = new String(process.getInputStream().readAllBytes()).lines();
        var names = new TreeSet<String>();
        lines.map(each -> each.endsWith("/") ? each.substring(0, each.length() - 1) : each)
                .filter(each -> !each.equals("."))
                .forEach(names::add);
        assertEquals(0, process.waitFor(), names::toString);
        return List.copyOf(names);
    }
}
