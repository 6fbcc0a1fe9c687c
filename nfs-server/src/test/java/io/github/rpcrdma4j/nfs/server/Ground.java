package io.github.rpcrdma4j.nfs.server;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * A directory to export, which is gone afterwards.
 *
 * @param memory the file system that lives only for it, if it is not the operating system's
 */
public record Ground(Path root, Optional<FileSystem> memory) implements AutoCloseable {
    /** The file systems that everything is tried on. */
    public enum Kind {
        /** The operating system's, with Unix attributes. */
        LOCAL,
        /** One that keeps type, size and times, and nothing else. */
        BASIC,
        /** One that shows Unix attributes, but lets only permissions be set. */
        POSIX
    }

    /** Those that can be had here: not every process may serve files of the operating system. */
    public static List<Kind> kinds() throws IOException {
        try (var _ = of(Kind.LOCAL)) {
            return List.of(Kind.values());
        } catch (TestAbortedException _) {
            return List.of(Kind.BASIC, Kind.POSIX);
        }
    }

    public static Ground of(Kind kind) throws IOException {
        return switch (kind) {
            case LOCAL -> local();
            case BASIC -> memory(Configuration.unix());
            case POSIX ->
                    memory(
                            Configuration.unix().toBuilder()
                                    .setAttributeViews("basic", "owner", "posix", "unix")
                                    .build());
        };
    }

    /** Skips the test where this process must not serve such files. */
    private static Ground local() throws IOException {
        var root = Files.createTempDirectory("nfs-server");
        try {
            new BestStores()
                    .open(new Export("/export", root, false), 1, new WriteVerifier())
                    .close();
        } catch (IOException refused) {
            Files.delete(root);
            throw new TestAbortedException(refused.getMessage());
        }
        return new Ground(root, Optional.empty());
    }

    /** A file system in memory that is full with so many bytes. */
    public static Ground small(long bytes) throws IOException {
        return memory(Configuration.unix().toBuilder().setMaxSize(bytes).build());
    }

    private static Ground memory(Configuration configuration) throws IOException {
        var system = Jimfs.newFileSystem(configuration);
        return new Ground(Files.createDirectory(system.getPath("/export")), Optional.of(system));
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

                    /** A directory that its owner may not look into, until he may. */
                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure)
                            throws IOException {
                        if (!Files.isDirectory(file) || Files.isReadable(file)) {
                            throw failure;
                        }
                        var owners = PosixFilePermissions.fromString("rwx------");
                        Files.setPosixFilePermissions(file, owners);
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
