package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server of a directory, another directory, and commands that copy between them. */
public abstract class ServedCopies {
    @TempDir private Path directory;
    protected Path exported;
    protected Path local;
    private ServedDirectory served;
    protected String url;
    protected final Console console = new Console();

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        local = Files.createDirectory(directory.resolve("local"));
        served = ServedDirectory.of(exported);
        url = served.url();
    }

    @AfterEach
    void stop() {
        served.close();
    }

    protected void fails(String line, String... arguments) {
        assertEquals(
                1,
                console.run(arguments),
                () -> String.join(" ", arguments) + ": " + console.err());
        assertEquals(List.of("rpcrdma: " + line), console.errLines());
    }

    protected static List<String> names(Path in) throws IOException {
        try (Stream<Path> all = Files.list(in)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    protected static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    protected static Path withMode(Path file, String mode) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    public static boolean isRoot() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    }

    protected static void make(String command, Path in) throws Exception {
        var made =
                new ProcessBuilder("sh", "-c", command)
                        .directory(in.toFile())
                        .redirectErrorStream(true)
                        .start()
                        .waitFor();
        assertEquals(0, made, command);
    }
}
