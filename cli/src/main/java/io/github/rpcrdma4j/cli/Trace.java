package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.dissect.trace.TraceFile;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that records all traffic of a connection in a file. */
@Section(Section.Heading.CONNECTION)
final class Trace implements Closeable {
    @Option(
            names = "--trace",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description =
                    "Write all that goes over soft-iWARP to this pcapng file. A file that holds"
                            + " something already is not touched; a FIFO or a device is written to.")
    private Path file;

    private TraceFile open;

    /** Returns whether the user wants a trace. */
    boolean isWanted() {
        return file != null;
    }

    /**
     * Adds the trace to the options of a provider, if the user wants one.
     *
     * @throws IOException if the file cannot be written, or already has contents
     */
    IwarpOptions options(IwarpOptions plain) throws IOException {
        if (file == null) {
            return plain;
        }
        if (Files.isSymbolicLink(file)) {
            // Another user may have put it there.
            throw new IOException(file + ": is a link, and --trace follows none");
        }
        if (Files.isRegularFile(file)) {
            if (Files.size(file) > 0) {
                throw new IOException(file + ": exists already, and --trace replaces no file");
            }
            requireOneName();
        }
        open = TraceFile.create(file);
        return plain.withTap(open);
    }

    /** Another user may have given this name to an empty file of this one. */
    private void requireOneName() throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("unix")
                && (int) Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS) > 1) {
            throw new IOException(file + ": has several names, and --trace writes to no such file");
        }
    }

    /**
     * Closes the trace.
     *
     * @throws IOException if the file could not be written
     */
    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
        }
    }
}
