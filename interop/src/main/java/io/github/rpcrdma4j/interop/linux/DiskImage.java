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
 * The image of a disk with a file system, which the host can mount.
 *
 * @param file the file of the image
 * @param mounted an empty directory, the mount point of the image
 */
record DiskImage(FileSystem fileSystem, Path file, Path mounted) {
    private static final String PATH = "/usr/sbin:/sbin:/usr/bin:/bin";

    /** The file system of an image, with blocks of 4096 bytes. */
    enum FileSystem {
        EXT4(64L << 20, "mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4"),
        /** Files of this one can share blocks. {@code mkfs.xfs} makes none of less than 300 MiB. */
        XFS(320L << 20, "mkfs.xfs", "-q", "-f", "-b", "size=4096", "-m", "reflink=1");

        private final long bytes;
        private final List<String> make;

        FileSystem(long bytes, String... make) {
            this.bytes = bytes;
            this.make = List.of(make);
        }
    }

    /** A mounted image. */
    record Mounted(Path root) implements AutoCloseable {
        /**
         * Unmounts the image.
         *
         * @throws IOException if a process still uses it
         */
        @Override
        public void close() throws IOException {
            try {
                run("umount", root.toString());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while it unmounted " + root, interrupted);
            }
        }
    }

    /** Makes an empty image in a directory, without its file system. */
    static DiskImage in(Path directory, FileSystem fileSystem) throws IOException {
        var image =
                new DiskImage(
                        fileSystem,
                        directory.resolve("disk"),
                        Files.createDirectories(directory.resolve("mounted")));
        Files.deleteIfExists(image.file);
        try (var file = new RandomAccessFile(image.file.toFile(), "rw")) {
            file.setLength(fileSystem.bytes);
        }
        return image;
    }

    /** Makes an empty file system on the image. */
    void format() throws IOException, InterruptedException {
        var command = new ArrayList<>(fileSystem.make);
        command.add(file.toString());
        run(command.toArray(String[]::new));
    }

    /** Mounts the image, which replays its journal. */
    Mounted mount() throws IOException, InterruptedException {
        run("mount", "-o", "loop", file.toString(), mounted.toString());
        return new Mounted(mounted);
    }

    /** Returns a copy of the image in its present state. */
    DiskImage copy() throws IOException, InterruptedException {
        var copy = new DiskImage(fileSystem, file.resolveSibling("copy"), mounted);
        run("cp", "--sparse=always", file.toString(), copy.file.toString());
        return copy;
    }

    /**
     * Mounts an image with ext4, which replays its journal, and returns the files in one of its
     * directories.
     *
     * @throws IOException if the image cannot be mounted or is damaged
     */
    FileTree read(String directory) throws IOException, InterruptedException {
        FileTree tree;
        try (var disk = mount()) {
            tree = FileTree.read(disk.root.resolve(directory));
        }
        run("e2fsck", "-fn", file.toString());
        return tree;
    }

    /**
     * Runs a command of the host.
     *
     * @return what it printed
     * @throws IOException if its status is not 0
     */
    static String run(String... command) throws IOException, InterruptedException {
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
        return output;
    }
}
