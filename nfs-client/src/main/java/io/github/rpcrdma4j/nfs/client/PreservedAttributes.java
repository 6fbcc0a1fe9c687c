package io.github.rpcrdma4j.nfs.client;

/** What a copy keeps of a file besides its contents and its name. */
public enum PreservedAttributes {
    /** Its permissions as far as the umask leaves them; of a file that is replaced, its own. */
    PERMISSIONS,

    /** Its mode, its times, and its owner as far as the user may give files away. */
    ATTRIBUTES,

    /** Its attributes, and which names are of one file. */
    ALL;

    boolean attributes() {
        return this != PERMISSIONS;
    }

    boolean hardLinks() {
        return this == ALL;
    }
}
