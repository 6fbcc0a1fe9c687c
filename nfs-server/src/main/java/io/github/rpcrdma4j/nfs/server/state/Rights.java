package io.github.rpcrdma4j.nfs.server.state;

/** Where the rights to use a file come from. */
public enum Rights {
    /** An open was granted them before, and they last as long as it, even if the mode changes. */
    OF_OPEN,

    /** The store has to check the caller's rights now, as for version 3. */
    OF_CALLER
}
