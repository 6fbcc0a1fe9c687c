package io.github.rpcrdma4j.interop.storage;

import io.github.rpcrdma4j.nfs.FileType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The files below a directory, by their relative paths.
 *
 * @param files the files, without the directory itself
 */
public record FileTree(Map<String, FileState> files) {
    private static final int FORMAT_MASK = 0170000;
    private static final byte[] NOTHING = {};

    /**
     * Reads the files below a directory of this machine.
     *
     * @throws IOException if a file cannot be read
     */
    public static FileTree read(Path directory) throws IOException {
        var files = new TreeMap<String, FileState>();
        try (var all = Files.walk(directory)) {
            for (var each : all.skip(1).toList()) {
                files.put(directory.relativize(each).toString(), state(each));
            }
        }
        return new FileTree(files);
    }

    private static FileState state(Path file) throws IOException {
        var found =
                Files.readAttributes(
                        file,
                        "unix:mode,uid,gid,nlink,rdev,lastModifiedTime",
                        LinkOption.NOFOLLOW_LINKS);
        int mode = (int) found.get("mode");
        var type = type(mode & FORMAT_MASK);
        byte[] content =
                switch (type) {
                    case REGULAR -> Files.readAllBytes(file);
                    case SYMBOLIC_LINK -> Files.readSymbolicLink(file).toString().getBytes();
                    case DIRECTORY, BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO -> NOTHING;
                };
        return new FileState(
                type,
                mode & ~FORMAT_MASK,
                (int) found.get("uid"),
                (int) found.get("gid"),
                type == FileType.DIRECTORY ? 0 : (int) found.get("nlink"),
                content,
                device((long) found.get("rdev")),
                OptionalLong.of(((FileTime) found.get("lastModifiedTime")).to(TimeUnit.SECONDS)));
    }

    /**
     * Returns the numbers of a device as {@link FileState#device} has them. Linux packs 12 bits of
     * the major number and 20 bits of the minor number into 32.
     */
    static long device(long packed) {
        return (packed >>> 8 & 0xfff) << Integer.SIZE | packed >>> 12 & 0xfff00 | packed & 0xff;
    }

    private static FileType type(int format) throws IOException {
        return switch (format) {
            case 0010000 -> FileType.FIFO;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case 0040000 -> FileType.DIRECTORY;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0100000 -> FileType.REGULAR;
            case 0120000 -> FileType.SYMBOLIC_LINK;
            case 0140000 -> FileType.SOCKET;
            default -> throw new IOException("a file of unknown type: %o".formatted(format));
        };
    }

    /** Returns the differences of a found tree from this one, a line for each file. */
    public List<String> differences(FileTree found) {
        var lines = new ArrayList<String>();
        files.forEach(
                (path, state) -> {
                    var there = found.files.get(path);
                    if (there == null) {
                        lines.add(path + " is lost: " + state);
                    } else if (!state.matches(there)) {
                        lines.add(path + " was " + state + " and is " + there);
                    }
                });
        found.files.forEach(
                (path, state) -> {
                    if (!files.containsKey(path)) {
                        lines.add(path + " is there again: " + state);
                    }
                });
        return lines;
    }
}
