package io.github.rpcrdma4j.nfs.server.stable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A directory of small files, each of which is whole after a crash: it has its old or its new
 * contents, or does not exist. Only the owner of the process can use the files.
 *
 * <p>Two threads may not write one name at a time; they exclude each other with a lock.
 *
 * <p>Tests: {@code CrashedRecordsTest}, {@code StoredRecordsTest}.
 */
public final class StableDirectory {
    private static final FileAttribute<?> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<?> OWNER_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** The ending of the temporary name that a file has until it is whole. */
    private static final String TEMPORARY = ".new";

    /**
     * The steps of all changes, in this order; files that are written together are all forced
     * before the first is renamed. Tests simulate a crash before each step.
     */
    public enum Step {
        /** Make the directory and its parent directories. */
        CREATE_DIRECTORY,
        /** Lock out other processes. */
        LOCK,
        /** Remove the leftover of a process that crashed. */
        REMOVE_LEFTOVER,
        /** Make an empty file under the temporary name. */
        CREATE,
        /** Write the contents into the file. */
        WRITE,
        /** Force the contents to storage. */
        FORCE,
        /** Rename the file to its final name. */
        RENAME,
        /** Remove a file. */
        REMOVE,
        /** Force the directory to storage. */
        FORCE_DIRECTORY
    }

    private final Path path;
    private final Consumer<Step> before;

    private StableDirectory(Path path, Consumer<Step> before) {
        this.path = path;
        this.before = before;
    }

    /**
     * Makes a directory and its missing parents, unless it is there. Each is on storage when this
     * returns.
     *
     * @param before invoked before each step of this and of all other methods
     * @throws IOException if that fails, or if another user can change what is there ({@link
     *     OwnFiles}); the message is one line
     */
    public static StableDirectory create(Path path, Consumer<Step> before) throws IOException {
        before.accept(Step.CREATE_DIRECTORY);
        create(path);
        OwnFiles.require(path);
        return new StableDirectory(path, before);
    }

    /**
     * Makes a directory, as {@link #create} does, that no other user can use.
     *
     * @throws IOException if it is there, and open to other users; the message is one line
     */
    public static StableDirectory ofOwner(Path path, Consumer<Step> before) throws IOException {
        before.accept(Step.CREATE_DIRECTORY);
        create(path);
        OwnFiles.requirePrivate(path);
        return new StableDirectory(path, before);
    }

    private static void create(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        var above = directory.toAbsolutePath().getParent();
        create(above);
        try {
            Files.createDirectory(directory, OWNER_DIRECTORY);
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(directory)) {
                throw there;
            }
        }
        force(above);
    }

    public Path path() {
        return path;
    }

    /** Returns when this process has a lock, which ends when the result is closed. */
    public FileChannel lock(String name) throws IOException {
        var channel = openLock(name);
        try {
            channel.lock();
            return channel;
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /**
     * Takes a lock, which ends when the result is closed.
     *
     * @return nothing if another process has it, or another part of this one
     */
    public Optional<FileChannel> tryLock(String name) throws IOException {
        var channel = openLock(name);
        boolean isTaken = false;
        try {
            isTaken = channel.tryLock() != null;
        } catch (OverlappingFileLockException _) {
            // Another part of this process has it.
        } finally {
            if (!isTaken) {
                channel.close();
            }
        }
        return isTaken ? Optional.of(channel) : Optional.empty();
    }

    private FileChannel openLock(String name) throws IOException {
        before.accept(Step.LOCK);
        OwnFiles.require(path.resolve(name));
        return FileChannel.open(
                path.resolve(name),
                Set.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                OWNER_FILE);
    }

    /**
     * Reads a file.
     *
     * @param max the most bytes that are read: a longer file is cut there
     * @return nothing if there is none
     * @throws IOException if it cannot be read, for example because it is a directory
     */
    public Optional<byte[]> read(String name, int max) throws IOException {
        var file = path.resolve(name);
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
                    return Optional.empty();
                }
                throw new IOException(file + " is no regular file");
            }
            OwnFiles.require(file);
            try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of(in.readNBytes(max));
            }
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    /**
     * Writes a file in place of another one with its name. It is on storage when this returns.
     *
     * @throws IOException if that fails; the message is one line, and names the file or the
     *     directory
     */
    public void write(String name, byte[] contents) throws IOException {
        write(Map.of(name, contents));
    }

    /**
     * Writes files, each in place of another one with its name. All are on storage when this
     * returns. If it fails, any of them may be there; each is whole.
     *
     * @throws IOException as above
     */
    public void write(Map<String, byte[]> files) throws IOException {
        for (var each : files.entrySet()) {
            var name = each.getKey();
            try {
                writeTemporary(name, each.getValue());
            } catch (FileSystemException named) {
                throw explained(named);
            } catch (IOException unnamed) {
                // A failed write, for example to a full file system, does not tell the file.
                throw new IOException(path.resolve(name) + ": " + unnamed.getMessage(), unnamed);
            }
        }
        var names = new LinkedHashMap<String, String>();
        files.keySet().forEach(name -> names.put(name + TEMPORARY, name));
        rename(names);
    }

    private IOException explained(FileSystemException failure) {
        return Files.notExists(path)
                ? new IOException(path + " was removed while a server uses it", failure)
                : failure;
    }

    private Path temporary(String name) {
        return path.resolve(name + TEMPORARY);
    }

    private void writeTemporary(String name, byte[] contents) throws IOException {
        var temporary = temporary(name);
        before.accept(Step.REMOVE_LEFTOVER);
        Files.deleteIfExists(temporary);
        before.accept(Step.CREATE);
        try (var channel =
                FileChannel.open(
                        temporary,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        OWNER_FILE)) {
            before.accept(Step.WRITE);
            var left = ByteBuffer.wrap(contents);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            before.accept(Step.FORCE);
            channel.force(true);
        }
    }

    /**
     * Renames files, each in place of another one with its new name. The names are on storage when
     * this returns. If it fails, any of them may be new.
     *
     * @param names the new names by the old ones
     * @throws IOException if that fails, for example because there is no such file
     */
    public void rename(Map<String, String> names) throws IOException {
        try {
            for (var each : names.entrySet()) {
                before.accept(Step.RENAME);
                Files.move(
                        path.resolve(each.getKey()),
                        path.resolve(each.getValue()),
                        StandardCopyOption.ATOMIC_MOVE);
            }
            force();
        } catch (FileSystemException named) {
            throw explained(named);
        } catch (IOException unnamed) {
            throw new IOException(path + ": " + unnamed.getMessage(), unnamed);
        }
    }

    /** Returns whether there is a file of a name. */
    public boolean has(String name) {
        return Files.exists(path.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns whether a name is that of a file which is not whole yet. */
    public static boolean isTemporary(String name) {
        return name.endsWith(TEMPORARY);
    }

    /** Removes files, if they are there. They are gone from storage when this returns. */
    public void remove(Iterable<String> names) throws IOException {
        try {
            for (var each : names) {
                before.accept(Step.REMOVE);
                Files.deleteIfExists(path.resolve(each));
            }
            force();
        } catch (FileSystemException named) {
            throw explained(named);
        }
    }

    private void force() throws IOException {
        before.accept(Step.FORCE_DIRECTORY);
        force(path);
    }

    private static void force(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (AccessDeniedException _) {
            // A directory may be writable but not readable. Its entries then reach storage later.
        }
    }
}
