package io.github.rpcrdma4j.nfs.v2;

/**
 * The status of a reply: {@code nfsstat} (RFC 1094, Section 2.3.1). The RFC lacks INVAL, MLINK and
 * NOTSUPP, which the servers of Linux send.
 */
public enum Status {
    OK(0),
    PERM(1),
    NOENT(2),
    IO(5),
    NXIO(6),
    ACCES(13),
    EXIST(17),
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
    WFLUSH(99),
    NOTSUPP(10004);

    private final int number;

    Status(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** Returns the status of that number, or IO for a number that is not listed here. */
    public static Status of(int number) {
        for (var status : values()) {
            if (status.number == number) {
                return status;
            }
        }
        return IO;
    }
}
