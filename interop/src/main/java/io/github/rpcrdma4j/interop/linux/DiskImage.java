package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.storage.FileTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The image of a guest's disk with an ext4 file system, which the host can mount.
 *
 * @param file the file of the image
 * @param mounted an empty directory, the mount point of the image
 */
record DiskImage(Path file, Path mounted) {
    private static final long BYTES = 64L << 20;
    private static final String PATH = "/usr/sbin:/sbin:/usr/bin:/bin";

    /** Makes an empty image in a directory, without a file system. */
    static DiskImage in(Path directory) throws IOException {
        var image =
                new DiskImage(
                        directory.resolve("disk"),
                        Files.createDirectories(directory.resolve("mounted")));
        Files.deleteIfExists(image.file);
        try (var file = new RandomAccessFile(image.file.toFile(), "rw")) {
            file.setLength(BYTES);
        }
        return image;
    }

    /** Makes an empty ext4 file system on the image. */
    void format() throws IOException, InterruptedException {
        run("mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4", file.toString());
    }

    /** Returns a copy of the image in its present state. */
    DiskImage copy() throws IOException, InterruptedException {
        var copy = new DiskImage(file.resolveSibling("copy"), mounted);
        run("cp", "--sparse=always", file.toString(), copy.file.toString());
        return copy;
    }

    /**
     * Mounts the image, which replays its journal, and returns the files in one of its directories.
     *
     * @throws IOException if the image cannot be mounted or is damaged
     */
    FileTree read(String directory) throws IOException, InterruptedException {
        run("mount", "-o", "loop", file.toString(), mounted.toString());
        FileTree tree;
        try {
            tree = FileTree.read(mounted.resolve(directory));
        } finally {
            run("umount", mounted.toString());
        }
        run("e2fsck", "-fn", file.toString());
        return tree;
    }

    static void run(String... command) throws IOException, InterruptedException {
        // A user's path often lacks the directories of root's commands.
        var words = new ArrayList<>(List.of("env", "PATH=" + PATH));
        words.addAll(List.of(command));
        var process = new ProcessBuilder(words).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException(
                    "%s ended with %d: %s"
                            .formatted(String.join(" ", command), status, output.strip()));
        }
    }
}
