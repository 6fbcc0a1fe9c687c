package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandardStreamTest {
    @TempDir Path directory;

    @Test
    void standardOutputAndErrorHaveManyNames() throws Exception {
        for (var name :
                List.of(
                        "-",
                        "/dev/stdout",
                        "/dev/fd/1",
                        "/proc/self/fd/1",
                        "/dev/stderr",
                        "/dev/fd/2",
                        "/proc/self/fd/2")) {
            assertTrue(StandardStream.of(name).isPresent(), name);
        }
    }

    @Test
    void filesHaveTheirOwnNames() throws Exception {
        for (var name : List.of("a", "./-", "/dev/null", "stdout", "/tmp/dev/fd/1")) {
            assertEquals(Optional.empty(), StandardStream.of(name), name);
        }
    }

    /** A file in its place would be overwritten by other processes that write to the descriptor. */
    @Test
    void refusesAFileThatIsOpenAsAnotherDescriptor() throws Exception {
        var file = directory.resolve("log");
        try (var _ = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            var name = "/dev/fd/" + descriptor(file);
            var refused = assertThrows(IOException.class, () -> StandardStream.of(name));
            assertEquals(
                    "cannot write " + name + ": it is an open file, give its name instead",
                    refused.getMessage());
        }
    }

    private static String descriptor(Path file) throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            for (var each : all.toList()) {
                if (Files.exists(each) && Files.isSameFile(each, file)) {
                    return each.getFileName().toString();
                }
            }
        }
        throw new AssertionError("the file is not open");
    }
}
