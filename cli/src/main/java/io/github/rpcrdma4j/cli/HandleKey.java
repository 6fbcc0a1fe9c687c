package io.github.rpcrdma4j.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The secret key of file handles. It is stored in a file, so that handles stay valid after a
 * restart.
 */
final class HandleKey {
    private static final int BYTES = 32;
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** The steps that create a key, in this order. Tests simulate a crash before each step. */
    enum Step {
        /** Make the directory of the key and its parent directories. */
        CREATE_DIRECTORY,
        /** Lock out other processes until the key exists. */
        LOCK,
        /** Remove the leftover of a process that crashed. */
        REMOVE_LEFTOVER,
        /** Make an empty file under the temporary name. */
        CREATE,
        /** Write the key into the file. */
        WRITE,
        /** Force the contents to storage. */
        FORCE,
        /** Rename the file to its final name. */
        RENAME,
        /** Force the directory to storage. */
        FORCE_DIRECTORY
    }

    private HandleKey() {}

    /**
     * Returns the path of the key: {@code $XDG_STATE_HOME/rpcrdma4j/handle.key}, or {@code
     * ~/.local/state/rpcrdma4j/handle.key}.
     */
    static Path path() {
        var state = System.getenv("XDG_STATE_HOME");
        var directory =
                state == null || state.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".local", "state")
                        : Path.of(state);
        return directory.resolve("rpcrdma4j").resolve("handle.key");
    }

    /**
     * Returns the stored key, or creates and stores a new one that only its owner can read. A key
     * gets its final name after all of it is on storage, so a crash leaves a whole key or none.
     * Processes that start together get the same key.
     *
     * @throws IOException if the key cannot be read or stored; the message is one line
     */
    static byte[] load(Path file) throws IOException {
        return load(file, _ -> {});
    }

    /**
     * Loads the key, as {@link #load(Path)} does.
     *
     * @param before invoked before each step
     */
    static byte[] load(Path file, Consumer<Step> before) throws IOException {
        var kept = read(file);
        return kept.isPresent() ? kept.get() : create(file, before);
    }

    private static Optional<byte[]> read(Path file) throws IOException {
        byte[] kept;
        try {
            kept = Files.readAllBytes(file);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
        if (kept.length != BYTES) {
            throw new IOException(file + " is damaged: remove it to start with new handles");
        }
        return Optional.of(kept);
    }

    /**
     * Creates the key. A file lock belongs to the whole process, so threads exclude each other with
     * a monitor.
     */
    private static synchronized byte[] create(Path file, Consumer<Step> before) throws IOException {
        before.accept(Step.CREATE_DIRECTORY);
        createDirectory(file.getParent());
        before.accept(Step.LOCK);
        try (var gate =
                        FileChannel.open(
                                file.resolveSibling(file.getFileName() + ".lock"),
                                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                                OWNER_ONLY);
                var _ = gate.lock()) {
            var kept = read(file);
            if (kept.isPresent()) {
                return kept.get();
            }
            byte[] fresh = random();
            keep(fresh, file, before);
            return fresh;
        }
    }

    private static void keep(byte[] key, Path file, Consumer<Step> before) throws IOException {
        var temporary = file.resolveSibling(file.getFileName() + ".new");
        before.accept(Step.REMOVE_LEFTOVER);
        Files.deleteIfExists(temporary);
        before.accept(Step.CREATE);
        try (var channel =
                FileChannel.open(
                        temporary,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        OWNER_ONLY)) {
            before.accept(Step.WRITE);
            var left = ByteBuffer.wrap(key);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            before.accept(Step.FORCE);
            channel.force(true);
        }
        before.accept(Step.RENAME);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        before.accept(Step.FORCE_DIRECTORY);
        force(file.getParent());
    }

    /** Makes a directory and its missing parents. Each is on storage when this returns. */
    private static void createDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        var above = directory.toAbsolutePath().getParent();
        createDirectory(above);
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(directory)) {
                throw there;
            }
        }
        force(above);
    }

    private static void force(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (AccessDeniedException _) {
            // A directory may be writable but not readable. Its entries then reach storage later.
        }
    }

    /** Returns a random key, which is not stored. */
    static byte[] random() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }
}
