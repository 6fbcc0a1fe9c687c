package io.github.rpcrdma4j.nfs.nio.routed;

import java.nio.file.Files;
import java.nio.file.Path;

/** A program that knows nothing of servers. It copies the lines of a file, with their numbers. */
final class CopyOfLines {
    private CopyOfLines() {}

    public static void main(String[] arguments) throws Exception {
        int number = 0;
        try (var out = Files.newBufferedWriter(Path.of(arguments[1]))) {
            for (var line : Files.readAllLines(Path.of(arguments[0]))) {
                out.write(++number + " " + line + "\n");
            }
        }
        try (var names = Files.walk(Path.of(""))) {
            names.sorted().forEach(System.out::println);
        }
    }
}
