package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.service.LogFile;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.nfs.server.audit.Audit;
import io.github.rpcrdma4j.nfs.server.audit.AuditEntry;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A file with a line for each change by a client. A line that cannot be written is lost, and the
 * log says so once a minute. Thread-safe.
 */
final class AuditFile implements Audit, AutoCloseable {
    private static final Logger LOG = System.getLogger(AuditFile.class.getName());

    private final FailureLog failures = new FailureLog(LOG);

    /** Guarded by this, as the next is. */
    private LogFile file;

    /** Whether the file may end with a part of a line. */
    private boolean isTorn;

    /**
     * @param file belongs to this, which closes it
     */
    AuditFile(LogFile file) {
        this.file = file;
    }

    @Override
    public void tell(AuditEntry entry) {
        byte[] line = AuditLine.of(Instant.now(), entry).getBytes(StandardCharsets.UTF_8);
        try {
            write(line);
        } catch (IOException failed) {
            failures.warn("the audit has lost a line", FailureText.oneLine(failed));
        }
    }

    private synchronized void write(byte[] line) throws IOException {
        var whole = new ByteArrayOutputStream(line.length + 2);
        if (isTorn) {
            whole.write('\n');
        }
        whole.writeBytes(line);
        whole.write('\n');
        isTorn = true;
        file.write(whole.toByteArray());
        isTorn = false;
    }

    /**
     * Writes to a new file of that name from now on. If that fails, the lines go on into the old
     * one.
     *
     * @throws IOException if that fails; the message is one line
     */
    void reopen(Path path) throws IOException {
        try {
            replace(LogFile.open(path));
        } catch (IOException failed) {
            var words = FailureText.oneLine(failed) + "; the audit goes on in the file before";
            LOG.log(Level.WARNING, words);
            throw new IOException(words, failed);
        }
    }

    private synchronized void replace(LogFile other) {
        file.close();
        file = other;
    }

    @Override
    public synchronized void close() {
        file.close();
    }
}
