package io.github.rpcrdma4j.cli.service;

import java.lang.System.Logger;
import java.lang.System.LoggerFinder;
import java.text.MessageFormat;
import java.util.MissingResourceException;
import java.util.ResourceBundle;

/**
 * Gives all loggers of this process one log. That of java.util.logging would write two lines for
 * each entry, and nothing once the process has begun to end.
 */
public final class Loggers extends LoggerFinder {
    public Loggers() {
        // The service loader makes one.
    }

    @Override
    public Logger getLogger(String name, Module module) {
        return new Named(name);
    }

    /**
     * A logger.
     *
     * @param getName its name: the interface calls the accessor so
     */
    private record Named(String getName) implements Logger {
        @Override
        public boolean isLoggable(Level level) {
            return Log.OF_PROCESS.isWritten(getName, level);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable cause) {
            if (isLoggable(level)) {
                Log.OF_PROCESS.write(level, words(bundle, message), cause);
            }
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            if (isLoggable(level)) {
                Log.OF_PROCESS.write(level, formatted(words(bundle, format), parameters), null);
            }
        }

        private static String words(ResourceBundle bundle, String message) {
            try {
                return bundle == null || message == null
                        ? String.valueOf(message)
                        : bundle.getString(message);
            } catch (MissingResourceException | ClassCastException _) {
                return message;
            }
        }

        private static String formatted(String format, Object... parameters) {
            if (parameters == null || parameters.length == 0) {
                return format;
            }
            try {
                return MessageFormat.format(format, parameters);
            } catch (IllegalArgumentException _) {
                return format;
            }
        }
    }
}
