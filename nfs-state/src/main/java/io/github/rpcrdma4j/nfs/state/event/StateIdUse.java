package io.github.rpcrdma4j.nfs.state.event;

/** What an operation does with the file of its stateid: read it, write it, or set its size. */
public enum StateIdUse {
    READ,
    WRITE,
    /** SETATTR of the size. */
    RESIZE
}
