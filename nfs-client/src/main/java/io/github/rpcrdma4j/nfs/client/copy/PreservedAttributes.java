package io.github.rpcrdma4j.nfs.client.copy;

/** The attributes that a copy keeps of its source, besides contents and name. */
public enum PreservedAttributes {
    /**
     * The permissions, less the umask. A replaced file keeps its own permissions, but group and
     * others may read and write it no more than the source.
     */
    PERMISSIONS,

    /**
     * The mode, the times, the access control lists if both sides have them, and the owner if the
     * user may give files away.
     */
    ATTRIBUTES,

    /** Everything that {@link #ATTRIBUTES} keeps, and hard links between the copied files. */
    ALL;

    boolean attributes() {
        return this != PERMISSIONS;
    }

    boolean hardLinks() {
        return this == ALL;
    }
}
