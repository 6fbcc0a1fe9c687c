package io.github.rpcrdma4j.nfs.v3;

/** The procedures, in the order of their numbers (RFC 1813, Section 3). */
public enum Procedure {
    NULL,
    GETATTR,
    SETATTR,
    LOOKUP,
    ACCESS,
    READLINK,
    READ,
    WRITE,
    CREATE,
    MKDIR,
    SYMLINK,
    MKNOD,
    REMOVE,
    RMDIR,
    RENAME,
    LINK,
    READDIR,
    READDIRPLUS,
    FSSTAT,
    FSINFO,
    PATHCONF,
    COMMIT;

    private static final Procedure[] BY_NUMBER = values();

    public int number() {
        return ordinal();
    }

    /** Returns whether NFS version 3 has a procedure of that number. */
    public static boolean exists(int number) {
        return number >= 0 && number < BY_NUMBER.length;
    }

    /**
     * Returns the procedure of that number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Procedure of(int number) {
        if (!exists(number)) {
            throw new IllegalArgumentException("NFSv3 has no procedure " + number);
        }
        return BY_NUMBER[number];
    }
}
