package io.github.rpcrdma4j.nfs.v3;

/** The status of a reply: {@code nfsstat3} (RFC 1813, Section 2.6). */
public enum Status {
    OK(0),
    PERM(1),
    NOENT(2),
    IO(5),
    NXIO(6),
    ACCES(13),
    EXIST(17),
    XDEV(18),
    NODEV(19),
    NOTDIR(20),
    ISDIR(21),
    INVAL(22),
    FBIG(27),
    NOSPC(28),
    ROFS(30),
    MLINK(31),
    NAMETOOLONG(63),
    NOTEMPTY(66),
    DQUOT(69),
    STALE(70),
    REMOTE(71),
    BADHANDLE(10001),
    NOT_SYNC(10002),
    BAD_COOKIE(10003),
    NOTSUPP(10004),
    TOOSMALL(10005),
    SERVERFAULT(10006),
    BADTYPE(10007),
    JUKEBOX(10008);

    private final int number;

    Status(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /**
     * Returns the status of that number, or SERVERFAULT for a number that RFC 1813 does not define.
     */
    public static Status of(int number) {
        for (var status : values()) {
            if (status.number == number) {
                return status;
            }
        }
        return SERVERFAULT;
    }
}
