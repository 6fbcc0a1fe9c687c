package io.github.rpcrdma4j.nfs.server;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs internal errors of this server. Each kind is logged once, because clients could fill a disk
 * otherwise.
 */
final class InternalErrors {
    private static final Logger LOG = System.getLogger(InternalErrors.class.getName());
    private static final int KINDS_MAX = 64;

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** Logs an error unless an error of this class from this code location was logged before. */
    void log(RuntimeException error) {
        var trace = error.getStackTrace();
        var kind = error.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]);
        if (known.size() < KINDS_MAX && known.add(kind)) {
            LOG.log(Level.ERROR, "internal error (logged once per kind)", error);
        }
    }
}
