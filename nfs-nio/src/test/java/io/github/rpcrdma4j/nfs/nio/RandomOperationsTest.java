package io.github.rpcrdma4j.nfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.nio.routed.RoutedProvider;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: files of a server are changed as those of this machine. Method: random operations on both,
 * whose results and failures are compared, and at last the trees.
 */
@Timeout(120)
class RandomOperationsTest {
    private static final List<String> NAMES =
            List.of("a", "b", "c", "a/a", "a/b", "b/a", "a/b/c", "b/../a", "./c", "c/x");

    /** The classes of failures of Unix where ours say more. */
    private static final Map<String, List<String>> LESS_SAID =
            Map.of(
                    "NotDirectoryException", List.of("FileSystemException", "NoSuchFileException"),
                    "FileSystemException", List.of("IOException"));

    private static final int OPERATIONS = 400;

    @TempDir private Path served;
    @TempDir private Path local;

    /** An operation on files below a directory. Returns what it found. */
    private interface Operation {
        Object run(Path root) throws IOException;
    }

    private static String outcome(Operation operation, Path root) {
        try {
            return String.valueOf(operation.run(root));
        } catch (FileSystemException failure) {
            return failure.getClass().getSimpleName();
        } catch (IOException | RuntimeException failure) {
            return failure.getClass().getSimpleName();
        }
    }

    /** Returns the number and the names of an operation, for messages. */
    private static String words(Random random) {
        var name = NAMES.get(random.nextInt(NAMES.size()));
        var other = NAMES.get(random.nextInt(NAMES.size()));
        return random.nextInt(14) + " " + name + " " + other;
    }

    private static Operation operation(Random random) {
        var name = NAMES.get(random.nextInt(NAMES.size()));
        var other = NAMES.get(random.nextInt(NAMES.size()));
        return switch (random.nextInt(14)) {
            case 0, 1 -> root -> Files.createDirectory(root.resolve(name)).getFileName();
            case 2 -> {
                byte[] bytes = new byte[random.nextInt(3000)];
                random.nextBytes(bytes);
                yield root -> Files.write(root.resolve(name), bytes).getFileName();
            }
            case 3 -> root -> Arrays.hashCode(Files.readAllBytes(root.resolve(name)));
            case 4 -> root -> Files.deleteIfExists(root.resolve(name));
            case 5 ->
                    root ->
                            Files.createSymbolicLink(
                                            root.resolve(name), root.getFileSystem().getPath(other))
                                    .getFileName();
            case 6 -> root -> Files.readSymbolicLink(root.resolve(name));
            case 7 -> {
                var options = copyOptions(random);
                yield root ->
                        Files.copy(
                                        source(
                                                root.resolve(name),
                                                Arrays.asList(options)
                                                        .contains(LinkOption.NOFOLLOW_LINKS)),
                                        root.resolve(other),
                                        options)
                                .getFileName();
            }
            case 8 -> {
                boolean replaces = random.nextBoolean();
                var options =
                        replaces
                                ? new StandardCopyOption[] {StandardCopyOption.REPLACE_EXISTING}
                                : new StandardCopyOption[0];
                yield root ->
                        Files.move(source(root.resolve(name), true), root.resolve(other), options)
                                .getFileName();
            }
            case 9 -> root -> names(root.resolve(name));
            case 10 -> root -> attributes(root.resolve(name));
            case 11 -> root -> Files.isSameFile(root.resolve(name), root.resolve(other));
            case 12 -> {
                var mode =
                        PosixFilePermissions.toString(
                                PosixFilePermissions.fromString(
                                        random.nextBoolean() ? "rwxr-x---" : "rwxrwxrwx"));
                yield root ->
                        Files.setPosixFilePermissions(
                                        root.resolve(name), PosixFilePermissions.fromString(mode))
                                .getFileName();
            }
            default -> channel(random, name);
        };
    }

    /**
     * Returns the file that is copied or moved. A path of this machine is told without symbolic
     * links on its way: its provider removes the target first, and where a link on the way to the
     * source was the target, it loses the link and then does not find the source.
     */
    private static Path source(Path file, boolean isLinkItself) throws IOException {
        if (file.toString().startsWith("/data") || file.toString().startsWith("/net")) {
            return file;
        }
        return isLinkItself
                ? file.getParent().toRealPath().resolve(file.getFileName())
                : file.toRealPath();
    }

    private static CopyOption[] copyOptions(Random random) {
        var options = new ArrayList<CopyOption>();
        if (random.nextBoolean()) {
            options.add(StandardCopyOption.REPLACE_EXISTING);
        }
        if (random.nextBoolean()) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options.toArray(CopyOption[]::new);
    }

    private static Object names(Path directory) throws IOException {
        var names = new HashSet<String>();
        try (var found = Files.newDirectoryStream(directory)) {
            found.forEach(each -> names.add(each.getFileName().toString()));
        }
        return names;
    }

    private static Object attributes(Path file) throws IOException {
        var read = Files.readAttributes(file, "posix:isDirectory,isSymbolicLink,permissions");
        boolean isDirectory = (Boolean) read.get("isDirectory");
        return new TreeMap<>(read) + (isDirectory ? "" : " " + Files.size(file));
    }

    /** Writes, reads and truncates at random places. */
    private static Operation channel(Random random, String name) {
        var options = new HashSet<OpenOption>();
        options.add(StandardOpenOption.WRITE);
        options.add(StandardOpenOption.READ);
        for (var each :
                List.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            if (random.nextInt(3) == 0) {
                options.add(each);
            }
        }
        if (random.nextInt(4) == 0) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        long seed = random.nextLong();
        return root -> {
            try (var channel = FileChannel.open(root.resolve(name), options)) {
                return used(channel, new Random(seed));
            }
        };
    }

    private static Object used(FileChannel channel, Random random) throws IOException {
        var found = new ArrayList<Object>();
        for (int i = 0; i < 6; i++) {
            int length = random.nextInt(5000);
            var buffer =
                    random.nextBoolean()
                            ? ByteBuffer.allocateDirect(length)
                            : ByteBuffer.allocate(length);
            long at = random.nextInt(9000);
            switch (random.nextInt(6)) {
                case 0 -> found.add(channel.write(buffer, at));
                case 1 -> found.add(channel.write(buffer));
                case 2 -> {
                    found.add(channel.read(buffer, at));
                    found.add(buffer.flip().hashCode());
                }
                case 3 -> found.add(channel.read(buffer));
                case 4 -> channel.truncate(at);
                default -> channel.position(at);
            }
            found.add(channel.position());
            found.add(channel.size());
        }
        return found;
    }

    private static Object tree(Path root) throws IOException {
        var tree = new TreeMap<String, Object>();
        try (var all = Files.walk(root)) {
            for (var each : all.toList()) {
                var name = root.relativize(each).toString();
                var told =
                        Files.readAttributes(
                                each,
                                "posix:permissions,isDirectory,isSymbolicLink",
                                LinkOption.NOFOLLOW_LINKS);
                boolean isFile =
                        told.get("isDirectory").equals(false)
                                && told.get("isSymbolicLink").equals(false);
                Object content = isFile ? Arrays.hashCode(Files.readAllBytes(each)) : "";
                tree.put(name, new TreeMap<>(told) + " " + content);
            }
        }
        return tree;
    }

    @BeforeEach
    void openToAll() throws Exception {
        var wide = PosixFilePermissions.fromString("rwxrwxrwx");
        Files.setPosixFilePermissions(served, wide);
        Files.setPosixFilePermissions(local, wide);
    }

    /** Does the same to files of this machine and to those below a root. */
    private void compare(Path root) throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < OPERATIONS; i++) {
            long ofThis = random.nextLong();
            var here = outcome(operation(new Random(ofThis)), local);
            var there = outcome(operation(new Random(ofThis)), root);
            var words = "-Dseed=" + seed + ", operation " + i + ": " + words(new Random(ofThis));
            boolean isSame =
                    here.equals(there) || LESS_SAID.getOrDefault(there, List.of()).contains(here);
            assertEquals(here, isSame ? here : there, words);
            assertEquals(tree(local), tree(served), words);
        }
        assertEquals(tree(local), tree(root));
    }

    @ParameterizedTest
    @EnumSource
    void bothTreesAreTheSame(Transport transport) throws Exception {
        try (var server = new ServedDirectory(served, transport);
                var files = server.open(NfsOptions.DEFAULT)) {
            compare(files.getPath("/data"));
        }
    }

    @Test
    void bothTreesAreTheSameBelowTheDefaultFileSystem() throws Exception {
        try (var server = new ServedDirectory(served, Transport.RDMA);
                var files = server.open(NfsOptions.DEFAULT)) {
            compare(routed("/net/nfs+rdma/" + server.uri().getAuthority() + "/data"));
            assertTrue(files.isOpen());
        }
    }

    @Test
    void filesOfThisMachineStayAsTheyAreInTheDefaultFileSystem() throws Exception {
        compare(routed(served.toString()));
    }

    private static Path routed(String path) {
        return new RoutedProvider(FileSystems.getDefault().provider())
                .getFileSystem(URI.create("file:///"))
                .getPath(path);
    }
}
