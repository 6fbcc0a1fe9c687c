package io.github.rpcrdma4j.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The entries that a class logs until this is closed. */
public final class LoggedLines extends Handler implements AutoCloseable {
    /** Each with its level. */
    public final List<String> lines = new ArrayList<>();

    private final Logger logger;

    public LoggedLines(Class<?> logging) {
        this(logging.getName());
    }

    /**
     * @param logging the name of the class
     */
    public LoggedLines(String logging) {
        logger = Logger.getLogger(logging);
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord each) {
        lines.add(each.getLevel() + " " + each.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
