package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The standard output of the process; a failed write ends the command. {@link PrintWriter} and
 * {@link System#out} would hide the failure.
 */
public final class StandardOutput extends OutputStream {
    /**
     * The exit code that a shell shows for a process ended by SIGPIPE: 128 plus the signal number.
     */
    public static final int READER_GONE = 128 + 13;

    private static final String BROKEN_PIPE = "broken pipe";
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/1");

    private final OutputStream out;

    /** Thrown if standard output cannot be written. */
    public static final class Failed extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        Failed(IOException why) {
            super("cannot write to standard output: " + why.getMessage(), why);
        }
    }

    public StandardOutput(OutputStream out) {
        this.out = out;
    }

    /** Returns a writer that flushes every line, and throws {@link Failed} if a write fails. */
    public static PrintWriter writer() {
        // Never closed: the descriptor belongs to the process.
        return new PrintWriter(
                new TextWriter(new StandardOutput(new FileOutputStream(FileDescriptor.out))), true);
    }

    /**
     * Returns whether a command failed because the reader of its output has gone; {@code head}, for
     * example, exits early.
     */
    public static boolean isReaderGone(Throwable failure) {
        for (var each = failure; each != null; each = each.getCause()) {
            // A broken connection has the same message, but must be reported.
            if (each instanceof RpcException) {
                return false;
            }
            if (each instanceof Failed && isPipe()) {
                return true;
            }
            if (each instanceof IOException
                    && each.getMessage() != null
                    && each.getMessage().toLowerCase(Locale.ROOT).contains(BROKEN_PIPE)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether standard output is a pipe. A write to a pipe fails only if its reader has
     * gone; the message of the system depends on the language.
     */
    private static boolean isPipe() {
        try {
            return Files.readSymbolicLink(DESCRIPTOR).toString().startsWith("pipe:");
        } catch (IOException _) {
            return false;
        }
    }

    @Override
    public void write(int oneByte) {
        write(new byte[] {(byte) oneByte}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        try {
            out.write(bytes, offset, length);
        } catch (IOException failure) {
            throw new Failed(failure);
        }
    }

    @Override
    public void flush() {
        try {
            out.flush();
        } catch (IOException failure) {
            throw new Failed(failure);
        }
    }

    /** Writes {@link RawText} as the bytes that it represents. */
    private static final class TextWriter extends Writer {
        private final OutputStream out;

        TextWriter(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            out.write(RawText.bytes(new String(characters, offset, length)));
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
