package io.github.rpcrdma4j.nfs.server.state;

/** What an operation does with a file by a stateid. */
public enum Use {
    READ,
    WRITE,
    /** SETATTR of the size. */
    RESIZE
}
