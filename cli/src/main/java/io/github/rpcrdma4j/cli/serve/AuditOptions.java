package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.service.ControlledServer;
import io.github.rpcrdma4j.cli.service.LogFile;
import io.github.rpcrdma4j.cli.service.LogOptions;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option about the audit of a server. */
final class AuditOptions {
    @Option(
            names = "--audit",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description =
                    "Write who removes and renames files, makes hard links, and changes modes,"
                            + " owners and access control lists to this file, as lines of JSON."
                            + " SIGHUP and rpcrdma reload open it again.")
    private Path file;

    /** Null until it is opened, and if there is none. */
    private AuditFile open;

    /**
     * Checks whether the file can be there.
     *
     * @throws IOException if its directory is missing, something else has its name, or it is the
     *     file of the log; the message is one line
     */
    void requirePossible(LogOptions log) throws IOException {
        if (file == null) {
            return;
        }
        LogFile.requirePossible(file);
        if (log.file() != null && absolute(log.file()).equals(absolute(file))) {
            throw new IOException(file + " is the file of the log: the audit takes its own");
        }
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /**
     * Opens the file.
     *
     * @return null if there is none; the caller closes it
     * @throws IOException if that fails; the message is one line
     */
    AuditFile open() throws IOException {
        open = file == null ? null : new AuditFile(LogFile.open(file));
        return open;
    }

    /**
     * Opens the file again, as {@link LogOptions#reopen} does.
     *
     * @throws IOException if that fails; then the lines go on into the old one. The message is one
     *     line
     */
    void reopen() throws IOException {
        if (open != null) {
            open.reopen(file);
        }
    }

    /**
     * Returns what a server without a config file does when it is to reload.
     *
     * @param ofLog what it does for its log
     */
    ControlledServer.Reload reload(ControlledServer.Reload ofLog) {
        if (open == null) {
            return ofLog;
        }
        return lines -> {
            try {
                if (ofLog != ControlledServer.Reload.NONE) {
                    ofLog.reload(lines);
                }
            } finally {
                reopen();
            }
            lines.accept("opened " + Printable.line(file.toString()) + " again");
        };
    }
}
