package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.nfs.server.stable.OwnFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** An open file of the log. Lines are added at its end. */
public final class LogFile implements AutoCloseable {
    /** The log names clients and exports. */
    private static final String MODE = "rw-r-----";

    private final OutputStream stream;

    private LogFile(OutputStream stream) {
        this.stream = stream;
    }

    /**
     * Opens a file, which need not exist.
     *
     * @throws IOException if that fails, if another user can put another file in its place, or if
     *     the file has several names; the message is one line
     */
    public static LogFile open(Path asked) throws IOException {
        var path = own(asked);
        try {
            Files.createFile(
                    path,
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(MODE)));
        } catch (FileAlreadyExistsException _) {
            requireRegular(path);
        } catch (IOException failed) {
            throw new IOException("cannot log to " + FailureText.oneLine(failed), failed);
        }
        // An interrupt of the thread that writes does not close such a stream.
        var stream =
                Files.newOutputStream(
                        path,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.APPEND,
                        LinkOption.NOFOLLOW_LINKS);
        return new LogFile(stream);
    }

    /**
     * Checks whether a file can be there.
     *
     * @throws IOException if its directory is missing, or something else has its name
     */
    public static void requirePossible(Path file) throws IOException {
        var parent = file.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new IOException("there is no directory for the log: " + parent);
        }
        requireRegular(file);
    }

    /**
     * Checks that what has this name, if anything has, is a regular file. Writing to a pipe would
     * wait for a reader.
     *
     * @throws IOException if it is something else
     */
    static void requireRegular(Path asked) throws IOException {
        var path = own(asked);
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path)) {
            throw new IOException(path + ": the log is no regular file");
        }
    }

    /** Returns the path without links. */
    private static Path own(Path path) throws IOException {
        try {
            return OwnFiles.require(path);
        } catch (IOException open) {
            throw new IOException("cannot log to " + path + ": " + FailureText.oneLine(open), open);
        }
    }

    /** Writes a line as a whole. */
    public void write(byte[] line) throws IOException {
        stream.write(line);
    }

    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException _) {
            // All lines were written, or went elsewhere.
        }
    }
}
