package io.github.rpcrdma4j.nfs.server.audit;

/**
 * Learns who has removed or renamed a file, made a hard link, or changed rights, by any version of
 * NFS. Thread-safe.
 */
public interface Audit {
    /**
     * Tells of a change before its client gets the reply. The thread of the call waits, so this is
     * to be quick. What it throws is logged once a minute, and the client notices nothing of it.
     */
    void tell(AuditEntry entry);
}
