package io.github.rpcrdma4j.nfs.client.file;

/**
 * Computes the mode of a copy. Group and others may never read or write more than in its source. A
 * replaced file keeps its owner's rights and all rights to execute. Pure functions.
 *
 * <p>All modes are the lower 12 bits of {@code st_mode}.
 */
public final class Modes {
    /** The mode of a file while its contents are copied: only its owner may read and write it. */
    public static final int FILLING_FILE = 0600;

    /** The rights that the owner of a directory needs while its contents are copied. */
    public static final int FILLING_DIRECTORY = 0700;

    /** The set-user-ID and set-group-ID bits. */
    public static final int SET_IDS = 06000;

    private static final int PERMISSIONS = 0777;
    private static final int OF_GROUP = 0070;
    private static final int OF_OTHERS = 0007;

    /** All rights of group and others. */
    public static final int OF_ALL_OTHERS = 0077;

    /** The rights of group and others to write. */
    public static final int WRITE_OF_OTHERS = 0022;

    private static final int SET_GROUP_ID = 02000;

    /**
     * Rights that a replaced file keeps even without them in the source. They let neither the group
     * nor others read or write.
     */
    private static final int OWN_ANYWAY = 0711;

    private Modes() {}

    /**
     * Returns the mode of a new file or directory, as {@code cp} makes it: its permissions less the
     * umask.
     */
    public static int made(int source, int umask) {
        return source & PERMISSIONS & ~umask;
    }

    /**
     * Returns the mode of a file that replaces another. As with {@code cp} this is the mode of the
     * replaced file, but group and others lose rights to read and write that the source does not
     * grant.
     */
    public static int replacing(int replaced, int source) {
        return replaced & PERMISSIONS & (source | OWN_ANYWAY);
    }

    /**
     * Returns the mode of a file with another group than the mode was meant for: the group gets no
     * more rights than others.
     */
    public static int withoutGroup(int mode) {
        return mode & ~OF_GROUP | mode & (mode & OF_OTHERS) << 3;
    }

    /**
     * Returns the mode of a file whose owner could not be kept: it must not run as another user.
     */
    public static int withoutOwner(int source) {
        return source & ~SET_IDS;
    }

    /**
     * Returns the mode of a directory that was there before, while files are copied into it: what
     * its source does not grant is taken away before the first of them.
     */
    public static int narrowed(int now, int source) {
        return now & source | FILLING_DIRECTORY;
    }

    /**
     * Returns the mode of a complete directory.
     *
     * @param now the current mode; its set-group-ID bit, which the directory may have inherited, is
     *     kept
     */
    public static int ofDirectory(int wanted, int now) {
        return wanted | now & SET_GROUP_ID;
    }
}
