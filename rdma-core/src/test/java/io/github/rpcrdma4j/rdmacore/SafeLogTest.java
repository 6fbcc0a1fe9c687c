package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ResourceBundle;
import org.junit.jupiter.api.Test;

/** Goal: a logger ends no thread of an adapter, and hides no failure. */
class SafeLogTest {
    private static final Exception FAILURE = new IllegalStateException("no event");

    /** A logger that finds no memory. */
    private static final class Throwing implements System.Logger {
        @Override
        public String getName() {
            return "throwing";
        }

        @Override
        public boolean isLoggable(Level level) {
            throw new OutOfMemoryError("test");
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String line, Throwable thrown) {
            throw new OutOfMemoryError("test");
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            throw new OutOfMemoryError("test");
        }
    }

    @Test
    void whatTheLoggerDoesNotTakeGoesToStandardError() {
        var written = new ByteArrayOutputStream();
        new SafeLog(new Throwing(), written).failed("it was not handled", FAILURE);
        assertEquals(
                "it was not handled: java.lang.IllegalStateException: no event (cannot be logged:"
                        + " java.lang.OutOfMemoryError: test)\n",
                written.toString(StandardCharsets.UTF_8));
    }

    /** Such a line tells what was not freed, and what follows is freed all the same. */
    @Test
    void aLineWithoutAnExceptionEndsNoThreadEither() {
        var written = new ByteArrayOutputStream();
        new SafeLog(new Throwing(), written)
                .line(System.Logger.Level.WARNING, "a region did not end");
        assertEquals(
                "a region did not end (cannot be logged: java.lang.OutOfMemoryError: test)\n",
                written.toString(StandardCharsets.UTF_8));
    }

    @Test
    void theThreadGoesOnWithoutStandardErrorToo() {
        var closed =
                new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        throw new IOException("closed");
                    }
                };
        new SafeLog(new Throwing(), closed).failed("it was not handled", FAILURE);
    }
}
