package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What servers log while this is open: internal errors among it. Any thread may log. */
final class LoggedFailures extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger(NfsServer.class.getName());
    private final List<LogRecord> logged = new CopyOnWriteArrayList<>();

    LoggedFailures() {
        logger.addHandler(this);
    }

    /** Fails if anything was logged. */
    void assertNone(String what) {
        assertEquals(List.of(), logged, what);
    }

    @Override
    public void publish(LogRecord each) {
        logged.add(each);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
