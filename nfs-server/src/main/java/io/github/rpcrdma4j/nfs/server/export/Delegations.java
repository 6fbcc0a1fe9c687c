package io.github.rpcrdma4j.nfs.server.export;

/** Whether clients of NFS version 4 may get delegations of the files of an export. */
public enum Delegations {
    /** They get none. */
    NONE,

    /**
     * They get them under leases of the kernel. Local processes then wait when they open a file, or
     * get EAGAIN if they do not want to wait.
     */
    LEASES,

    /** They get them freely: no local process uses the files while they are served. */
    EXCLUSIVE
}
