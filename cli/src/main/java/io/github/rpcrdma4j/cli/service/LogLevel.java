package io.github.rpcrdma4j.cli.service;

import java.lang.System.Logger.Level;
import java.util.Locale;

/** How much of the log is written: a level, and all that is more severe. */
enum LogLevel {
    ERROR(Level.ERROR),
    WARNING(Level.WARNING),
    INFO(Level.INFO),
    DEBUG(Level.DEBUG);

    private final Level least;

    LogLevel(Level least) {
        this.least = least;
    }

    /** Returns whether entries of a level are written. */
    boolean includes(Level level) {
        return level.getSeverity() >= least.getSeverity() && level != Level.OFF;
    }

    /** Returns the word that a user types. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
