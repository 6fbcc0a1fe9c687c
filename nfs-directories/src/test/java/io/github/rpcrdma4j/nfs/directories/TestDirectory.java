package io.github.rpcrdma4j.nfs.directories;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.opentest4j.TestAbortedException;

/**
 * A temporary directory to export; closing this removes it.
 *
 * @param memory the in-memory file system of the directory; empty if the operating system has it
 */
public record TestDirectory(Path root, Optional<FileSystem> memory) implements Closeable {
    /** The holes of files in memory take memory, and a damaged call may ask for gigabytes. */
    private static final Set<PosixFilePermission> OWNERS =
            PosixFilePermissions.fromString("rwx------");

    private static final long MEMORY_MAX = 256 << 20;

    /** The kinds of file systems that tests run on. */
    public enum Kind {
        /** The file system of the operating system, with Unix attributes. */
        LOCAL,
        /** One that keeps only type, size and times. */
        BASIC,
        /** One that reports Unix attributes, but can only set permissions. */
        POSIX
    }

    /**
     * Returns the kinds that work here: some processes may not serve files of the operating system.
     */
    public static List<Kind> kinds() throws IOException {
        try (var _ = of(Kind.LOCAL)) {
            return List.of(Kind.values());
        } catch (TestAbortedException _) {
            return List.of(Kind.BASIC, Kind.POSIX);
        }
    }

    public static TestDirectory of(Kind kind) throws IOException {
        return switch (kind) {
            case LOCAL -> local();
            case BASIC -> small(MEMORY_MAX);
            case POSIX ->
                    memory(
                            Configuration.unix().toBuilder()
                                    .setMaxSize(MEMORY_MAX)
                                    .setAttributeViews("basic", "owner", "posix", "unix")
                                    .build());
        };
    }

    /**
     * Makes a directory of the operating system, or skips the test if this process must not serve
     * it.
     */
    private static TestDirectory local() throws IOException {
        var root = Files.createTempDirectory("nfs-server");
        try {
            new DirectoryStores().open(root, false, 1, new WriteVerifier()).close();
        } catch (IOException refused) {
            Files.delete(root);
            throw new TestAbortedException(refused.getMessage());
        }
        return new TestDirectory(root, Optional.empty());
    }

    /** Makes an in-memory file system with a capacity in bytes. */
    public static TestDirectory small(long bytes) throws IOException {
        return memory(Configuration.unix().toBuilder().setMaxSize(bytes).build());
    }

    private static TestDirectory memory(Configuration configuration) throws IOException {
        var system = Jimfs.newFileSystem(configuration);
        return new TestDirectory(
                Files.createDirectory(system.getPath("/export")), Optional.of(system));
    }

    @Override
    public void close() throws IOException {
        if (memory.isPresent()) {
            memory.get().close();
            return;
        }
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    /** Lets the owner remove what is in a directory. */
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) throws IOException {
                        if (!Files.isWritable(directory) || !Files.isExecutable(directory)) {
                            Files.setPosixFilePermissions(directory, OWNERS);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    /** Makes a directory readable for its owner, and visits it. */
                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure)
                            throws IOException {
                        if (!Files.isDirectory(file) || Files.isReadable(file)) {
                            throw failure;
                        }
                        Files.setPosixFilePermissions(file, OWNERS);
                        Files.walkFileTree(file, this);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException failure)
                            throws IOException {
                        Files.delete(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
