package io.github.rpcrdma4j.nfs.store;

/**
 * What a use of a file needs of its caller. This is the one table by which all versions of NFS
 * decide, at each use: a handle, an open, a lock and a delegation give no caller more. Linux's nfsd
 * decides alike.
 *
 * @param rights rights of {@link Node} that are needed together; {@link #NONE_DO} if none do
 * @param instead rights each of which is enough as well
 * @param ownerPasses whether the owner of the file needs no rights: a process of the owner may use
 *     a file that it has opened or made, although the mode has changed since
 * @param refusal what others get
 */
public record Permission(int rights, int instead, boolean ownerPasses, Failure refusal) {
    private static final int NONE_DO = 1 << 3;

    /**
     * To read data, and to lock it against writers. Who may run a program may read it: the client
     * loads it (RFC 1813, Section 4.4).
     */
    public static final Permission READ =
            new Permission(Node.READ, Node.EXECUTE, true, Failure.ACCES);

    /** To write data, to set the size or the current time, and to lock data against all others. */
    public static final Permission WRITE = new Permission(Node.WRITE, 0, true, Failure.ACCES);

    /** To learn of the locks of others. */
    public static final Permission TEST_LOCK =
            new Permission(Node.READ, Node.WRITE | Node.EXECUTE, true, Failure.ACCES);

    /** To open a file for reading. */
    public static final Permission OPEN_READ = READ.ofAll();

    /** To open a file for writing, to keep others from reading it, and to set its xattrs. */
    public static final Permission OPEN_WRITE = WRITE.ofAll();

    /** To open a file for both. Who may only run it does not read it so. */
    public static final Permission OPEN_BOTH =
            new Permission(Node.READ | Node.WRITE, 0, false, Failure.ACCES);

    /** To set the mode, the owner, access control lists and any time. */
    public static final Permission OWNER = new Permission(NONE_DO, 0, true, Failure.PERM);

    /** To make a further name of a file where {@code fs.protected_hardlinks} is set (proc(5)). */
    public static final Permission LINK =
            new Permission(Node.READ | Node.WRITE, 0, true, Failure.PERM);

    /** To list the extended attributes of a file. */
    public static final Permission XATTRS = new Permission(Node.READ, 0, false, Failure.ACCES);

    /** To list the names of a directory. */
    public static final Permission LIST = new Permission(Node.READ, 0, false, Failure.ACCES);

    /** To find a name in a directory. */
    public static final Permission SEARCH = new Permission(Node.EXECUTE, 0, false, Failure.ACCES);

    /** To make, remove and change names in a directory. */
    public static final Permission NAMES =
            new Permission(Node.WRITE | Node.EXECUTE, 0, false, Failure.ACCES);

    /** Returns what those need who are not the owner, of all. */
    private Permission ofAll() {
        return new Permission(rights, instead, false, refusal);
    }

    /** Returns this for a caller who uses the file already: its owner passes. */
    public Permission orOwner() {
        return new Permission(rights, instead, true, refusal);
    }

    /** Returns all rights that matter. */
    public int asked() {
        return (rights | instead) & ~NONE_DO;
    }

    /**
     * Returns whether rights are enough.
     *
     * @param granted those that a caller has, of {@link #asked}
     */
    public boolean isIn(int granted) {
        return (granted & rights) == rights || (granted & instead) != 0;
    }
}
