package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.dissect.trace.TraceFile;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.nfs.server.stable.OwnFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that records all traffic of a connection in a file. */
@Section(Section.Heading.CONNECTION)
public final class Trace implements Closeable {
    private static final int FILE_TYPE = 0170000;
    private static final int CHARACTER_DEVICE = 0020000;
    private static final int BLOCK_DEVICE = 0060000;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description =
                    "Write all that goes over soft-iWARP to this pcapng file. A file that holds"
                            + " something already is not touched; a FIFO of this user or a device"
                            + " is written to. No file is used that another user can change.")
    private Path file;

    private TraceFile open;

    /** Returns whether the user wants a trace. */
    public boolean isWanted() {
        return file != null;
    }

    /**
     * Adds the trace to the options of a provider, if the user wants one.
     *
     * @throws IOException if the file cannot be written, already has contents, or is within reach
     *     of another user
     */
    IwarpOptions options(IwarpOptions plain) throws IOException {
        if (file == null) {
            return plain;
        }
        if (Files.isSymbolicLink(file)) {
            // Another user may have put it there.
            throw new IOException(file + ": is a link, and --trace follows none");
        }
        boolean isNew = Files.notExists(file, LinkOption.NOFOLLOW_LINKS);
        if (Files.isRegularFile(file) && Files.size(file) > 0) {
            throw new IOException(file + ": exists already, and --trace replaces no file");
        }
        if (!isDeviceOfRoot()) {
            // Nobody else can put another file there then, or read what this one gets.
            OwnFiles.require(file);
        }
        open = isNew ? TraceFile.createNew(file) : TraceFile.create(file);
        return plain.withTap(open);
    }

    /** Returns whether it is a device like {@code /dev/null}, to which all users may write. */
    private boolean isDeviceOfRoot() throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                || !file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return false;
        }
        var all = Files.readAttributes(file, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
        int type = (int) all.get("mode") & FILE_TYPE;
        return (type == CHARACTER_DEVICE || type == BLOCK_DEVICE) && (int) all.get("uid") == 0;
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
