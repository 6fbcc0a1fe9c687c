package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options about the log of a server. */
public final class LogOptions {
    private static final Logger LOG = System.getLogger(LogOptions.class.getName());

    /** The name of the option in a config file. A server takes it over while it serves. */
    public static final String LEVEL = "log-level";

    @Option(
            names = "--" + LEVEL,
            paramLabel = "LEVEL",
            defaultValue = "info",
            description = "What to log: error, warning, info or debug (${DEFAULT-VALUE}).")
    private LogLevel level;

    @Option(
            names = "--log-file",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description =
                    "Log to this file, not to standard error. SIGHUP opens it again, and so does"
                            + " rpcrdma reload of a server.")
    private Path file;

    public LogLevel level() {
        return level;
    }

    /** Returns the file; null if lines go to standard error. */
    public Path file() {
        return file;
    }

    /**
     * Checks whether the file can be there.
     *
     * @throws IOException if its directory is missing, or something else has its name
     */
    public void requirePossible() throws IOException {
        if (file != null) {
            LogFile.requirePossible(file);
        }
    }

    /** A server, until it has stopped. */
    public interface Service {
        /** Returns the exit code. */
        int serve() throws IOException, InterruptedException;
    }

    /**
     * Runs a server. The log of this process follows the options meanwhile.
     *
     * @return the exit code
     * @throws IOException if the file cannot be opened, or as the server does
     */
    public int during(Service service) throws IOException, InterruptedException {
        requirePossible();
        Log.OF_PROCESS.setFile(file == null ? null : LogFile.open(file));
        Log.OF_PROCESS.setLevel(level);
        try {
            int code = service.serve();
            LOG.log(Level.INFO, "stopped");
            return code;
        } catch (IOException failed) {
            note(failed);
            throw failed;
        } catch (UncheckedIOException failed) {
            note(failed.getCause());
            throw failed;
        } finally {
            Log.OF_PROCESS.setFile(null);
            Log.OF_PROCESS.setLevel(LogLevel.INFO);
        }
    }

    /** Standard error tells why the server ends at every level; the file is to have it too. */
    private void note(IOException failure) {
        if (file != null) {
            LOG.log(Level.ERROR, FailureText.oneLine(failure));
        }
    }

    /**
     * Opens the file again: it may have got another name, and its place is to have a new one. If
     * that fails, the lines go on into the old one.
     *
     * @throws IOException if that fails; the message is one line
     */
    public void reopen() throws IOException {
        if (file == null) {
            return;
        }
        try {
            Log.OF_PROCESS.setFile(LogFile.open(file));
        } catch (IOException failed) {
            var words = FailureText.oneLine(failed) + "; the log goes on in the file before";
            LOG.log(Level.WARNING, words);
            throw new IOException(words, failed);
        }
    }

    /** Returns what a server without a config file does when it is to reload. */
    public ControlledServer.Reload reload() {
        if (file == null) {
            return ControlledServer.Reload.NONE;
        }
        return lines -> {
            reopen();
            lines.accept("opened " + Printable.line(file.toString()) + " again");
        };
    }
}
