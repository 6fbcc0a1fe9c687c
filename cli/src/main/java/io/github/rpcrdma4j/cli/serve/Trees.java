package io.github.rpcrdma4j.cli.serve;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Predicate;

/** Compares and removes local directory trees. */
public final class Trees {
    private Trees() {}

    /**
     * Compares two files.
     *
     * @throws IOException if they do not hold the same bytes
     */
    static void requireSame(Path original, Path copy) throws IOException {
        if (!sha256(original).equals(sha256(copy))) {
            throw new IOException(copy + " differs from " + original);
        }
    }

    /**
     * Compares all regular files and links of a tree with their copies.
     *
     * @return number of files compared
     * @throws IOException if one is missing or differs
     */
    public static long requireSameTree(Path original, Path copy, Predicate<Path> wanted)
            throws IOException {
        long[] files = {0};
        Files.walkFileTree(
                original,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        return directory.equals(original) || wanted.test(directory)
                                ? FileVisitResult.CONTINUE
                                : FileVisitResult.SKIP_SUBTREE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        var other = copy.resolve(original.relativize(file).toString());
                        if (!wanted.test(file)) {
                            return FileVisitResult.CONTINUE;
                        }
                        if (attributes.isSymbolicLink()) {
                            requireSameLink(file, other);
                            files[0]++;
                        } else if (attributes.isRegularFile()) {
                            requireSame(file, other);
                            files[0]++;
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return files[0];
    }

    private static void requireSameLink(Path original, Path copy) throws IOException {
        boolean isSame =
                Files.isSymbolicLink(copy)
                        && Files.readSymbolicLink(copy).equals(Files.readSymbolicLink(original));
        if (!isSame) {
            throw new IOException(copy + " is no link to the same target as " + original);
        }
    }

    static String sha256(Path file) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            try (var in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }

    public static void delete(Path tree) throws IOException {
        if (Files.isDirectory(tree, LinkOption.NOFOLLOW_LINKS)) {
            try (var children = Files.newDirectoryStream(tree)) {
                for (var each : children) {
                    delete(each);
                }
            }
        }
        Files.delete(tree);
    }
}
