package io.github.rpcrdma4j.nfs.client;

/**
 * Which permissions a copy has: owner, group and others may never do more with it than with its
 * source. Pure.
 *
 * <p>All modes are the lower 12 bits of {@code st_mode}.
 */
final class Modes {
    /** Of a file while it is filled: it is the owner's alone. */
    static final int FILLING_FILE = 0600;

    /** What the owner of a directory needs to fill it. */
    static final int FILLING_DIRECTORY = 0700;

    /** The bits by which a program runs as the user, or the group, that has it. */
    static final int SET_IDS = 06000;

    private static final int PERMISSIONS = 0777;
    private static final int OF_GROUP = 0070;
    private static final int OF_OTHERS = 0007;
    private static final int SET_GROUP_ID = 02000;

    /** What a file that is replaced may have though the source has not: it shows no bytes. */
    private static final int OWN_ANYWAY = 0711;

    private Modes() {}

    /** Of a new file or directory, as {@code cp} makes it: its permissions less the umask. */
    static int made(int source, int umask) {
        return source & PERMISSIONS & ~umask;
    }

    /**
     * Of a file in place of another: the mode of the other, as with {@code cp}, less the rights to
     * read and write that the source does not give.
     */
    static int replacing(int replaced, int source) {
        return replaced & PERMISSIONS & (source | OWN_ANYWAY);
    }

    /** Of a file whose group is not the one that the mode was for: it may what others may. */
    static int withoutGroup(int mode) {
        return mode & ~OF_GROUP | mode & (mode & OF_OTHERS) << 3;
    }

    /** Of a file whose owner could not be kept: it must not run as another user. */
    static int withoutOwner(int source) {
        return source & ~SET_IDS;
    }

    /**
     * Of a directory that is complete.
     *
     * @param now what it has; the group is inherited below a directory with the set-group-ID bit
     */
    static int ofDirectory(int wanted, int now) {
        return wanted | now & SET_GROUP_ID;
    }
}
