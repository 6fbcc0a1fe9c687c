package io.github.rpcrdma4j.compliance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of the project on disk. */
final class ProjectTree {
    static final Path ROOT =
            Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();

    private ProjectTree() {}

    /** Returns all Java sources, with those of tests. */
    static List<Path> sources() {
        return find(".java");
    }

    /** Returns the Java sources of the product. */
    static List<Path> mainSources() {
        return sources().stream().filter(path -> path.toString().contains("/src/main/")).toList();
    }

    static List<Path> find(String ending) {
        try (Stream<Path> all = Files.walk(ROOT)) {
            return all.filter(path -> path.getFileName().toString().endsWith(ending))
                    .filter(ProjectTree::isOurs)
                    .sorted()
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static boolean isOurs(Path path) {
        for (var name : ROOT.relativize(path)) {
            var text = name.toString();
            if (text.equals("target") || text.equals(".git") || text.equals(".cache")) {
                return false;
            }
        }
        return Files.isRegularFile(path);
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static String name(Path file) {
        return ROOT.relativize(file).toString();
    }
}
