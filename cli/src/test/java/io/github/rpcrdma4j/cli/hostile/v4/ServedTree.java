package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.cli.hostile.TrialCommand;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * The tree that a lying server of version 4 serves, and what a command that succeeds must have done
 * with it.
 *
 * @param root the directory that is served
 */
record ServedTree(Path root) {
    private static final int BYTES = 100_000;
    private static final int HOLE = 1 << 20;

    /** Makes the tree: files, one with holes, a link, directories. */
    static ServedTree in(Path root) throws IOException {
        Files.createDirectories(root.resolve("directory/empty"));
        byte[] bytes = new byte[BYTES];
        new Random(1).nextBytes(bytes);
        Files.write(root.resolve("file"), bytes);
        Files.write(root.resolve("directory/small"), new byte[] {1});
        try (var sparse =
                FileChannel.open(
                        root.resolve("sparse"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE)) {
            sparse.write(ByteBuffer.wrap(bytes), HOLE);
            sparse.write(ByteBuffer.wrap(bytes), 3 * HOLE);
        }
        Files.createSymbolicLink(root.resolve("link"), Path.of("file"));
        for (var each : List.of("", "directory", "directory/empty")) {
            Files.setPosixFilePermissions(
                    root.resolve(each), PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        for (var each : List.of("file", "directory/small", "sparse")) {
            Files.setPosixFilePermissions(
                    root.resolve(each), PosixFilePermissions.fromString("rw-rw-rw-"));
        }
        return new ServedTree(root);
    }

    /**
     * Returns what is wrong after a command that has succeeded.
     *
     * @param target the directory of its copies
     * @param source the tree that it copied from
     */
    List<String> faults(TrialCommand command, Path target, Path source) throws IOException {
        var copy = target.resolve("copy");
        return switch (command) {
            case GET -> different(root.resolve("file"), copy);
            case GET_TREE, GET_ARCHIVE, SYNC_DOWN -> different(root, copy);
            case PUT -> different(source.resolve("file"), root.resolve("new"));
            case PUT_TREE, PUT_ARCHIVE, SYNC_UP -> different(source, root.resolve("new"));
            case CP -> different(root.resolve("sparse"), root.resolve("copied"));
            case CP_TREE -> different(root.resolve("directory"), root.resolve("copied"));
            case RM -> there(root.resolve("file"));
            case RM_TREE -> there(root.resolve("directory"));
            case MV -> there(root.resolve("file"));
            default -> List.of();
        };
    }

    private static List<String> there(Path removed) {
        return Files.exists(removed, LinkOption.NOFOLLOW_LINKS)
                ? List.of(removed.getFileName() + " is still there after success")
                : List.of();
    }

    private static List<String> different(Path from, Path to) throws IOException {
        var wanted = contents(from);
        var found = contents(to);
        var faults = new ArrayList<String>();
        for (var name : wanted.keySet()) {
            if (!wanted.get(name).equals(found.get(name))) {
                faults.add("success, but " + name + " is " + found.get(name));
            }
        }
        return faults;
    }

    /** Returns what each name below a file is. */
    private static TreeMap<String, String> contents(Path top) throws IOException {
        var contents = new TreeMap<String, String>();
        if (!Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
            return contents;
        }
        try (var all = Files.walk(top)) {
            for (var each : all.toList()) {
                contents.put("/" + top.relativize(each), content(each));
            }
        }
        return contents;
    }

    private static String content(Path file) throws IOException {
        if (Files.isSymbolicLink(file)) {
            return "link to " + Files.readSymbolicLink(file);
        }
        if (Files.isDirectory(file)) {
            return "directory";
        }
        byte[] bytes = Files.readAllBytes(file);
        return bytes.length + " bytes, hash " + Arrays.hashCode(bytes);
    }
}
