package io.github.rpcrdma4j.oncrpc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the log messages of a class while it is open, and keeps them from the console. */
public final class LogRecords implements AutoCloseable {
    private final Logger logger;
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord message) {
                    messages.add(message.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    public LogRecords(Class<?> source) {
        logger = Logger.getLogger(source.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    public List<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }
}
