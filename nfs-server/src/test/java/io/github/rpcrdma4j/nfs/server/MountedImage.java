package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.directories.linux.LinuxStores;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A file system in a file, which a child process mounts in a mount namespace of its own. Only root
 * can do that.
 */
final class MountedImage {
    private static final long IMAGE_BYTES = 64 << 20;

    private MountedImage() {}

    /**
     * Runs a program that begins with {@link #mount} and ends with {@link #unmount}. The test does
     * not run where file systems cannot be made or mounted.
     *
     * @param make makes the file system; the path of the file follows
     * @param mount mounts it; the paths of the file and of the directory follow
     * @param arguments those of the program behind the first two
     */
    static void run(String make, String mount, Class<?> program, String... arguments)
            throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(LocalCalls.user() == 0, "only root mounts file systems");
        try (var directory = TestDirectory.of(TestDirectory.Kind.LOCAL)) {
            var image = directory.root().resolve("image");
            try (var file = new RandomAccessFile(image.toFile(), "rw")) {
                file.setLength(IMAGE_BYTES);
            }
            var mounted = Files.createDirectory(directory.root().resolve("mounted"));
            var made = make + " " + image;
            ChildProcess.assumeWorks(make + " does not work", made.split(" "));
            var all = mount + " " + image + " " + mounted;
            ChildProcess.assumeWorks(
                    mount + " does not work", "unshare", "--mount", "sh", "-c", all);
            ChildProcess.run(
                    List.of("unshare", "--mount", "--propagation", "private"),
                    program,
                    Stream.concat(Stream.of(all, mounted.toString()), Stream.of(arguments))
                            .toArray(String[]::new));
        }
    }

    /** Mounts the file system, and returns its root. */
    static Path mount(String... arguments) throws Exception {
        var process = new ProcessBuilder("sh", "-c", arguments[0]).inheritIO().start();
        assertEquals(0, process.waitFor());
        return Path.of(arguments[1]);
    }

    static void unmount(Path root) throws Exception {
        new ProcessBuilder("umount", root.toString()).inheritIO().start().waitFor();
    }
}
