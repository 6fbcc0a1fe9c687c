package io.github.rpcrdma4j.nfs.v3;

/** The status of a reply: {@code nfsstat3} (RFC 1813, Section 2.6). */
public enum Status {
    OK(0, "done"),
    PERM(1, "operation not permitted"),
    NOENT(2, "no such file or directory"),
    IO(5, "input/output error on the server"),
    NXIO(6, "no such device"),
    ACCES(13, "permission denied"),
    EXIST(17, "file exists"),
    XDEV(18, "not on the same file system"),
    NODEV(19, "no such device"),
    NOTDIR(20, "not a directory"),
    ISDIR(21, "is a directory"),
    INVAL(22, "invalid argument"),
    FBIG(27, "file too large"),
    NOSPC(28, "no space left on the server"),
    ROFS(30, "read-only file system"),
    MLINK(31, "too many hard links"),
    NAMETOOLONG(63, "name too long"),
    NOTEMPTY(66, "directory not empty"),
    DQUOT(69, "quota exceeded"),
    STALE(70, "the file is gone (stale handle)"),
    REMOTE(71, "too many levels of remote file systems"),
    BADHANDLE(10001, "not a handle of this server"),
    NOT_SYNC(10002, "the file changed in between"),
    BAD_COOKIE(10003, "the directory changed too much to go on listing it"),
    NOTSUPP(10004, "not supported by the server"),
    TOOSMALL(10005, "the requested reply size is too small"),
    SERVERFAULT(10006, "the server failed"),
    BADTYPE(10007, "a file of that type cannot be made"),
    JUKEBOX(10008, "try again later");

    private final int number;
    private final String description;

    Status(int number, String description) {
        this.number = number;
        this.description = description;
    }

    public int number() {
        return number;
    }

    /** Returns the meaning of the status for a user. */
    public String description() {
        return description;
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
