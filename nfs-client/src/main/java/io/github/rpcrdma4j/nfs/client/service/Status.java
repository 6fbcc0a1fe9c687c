package io.github.rpcrdma4j.nfs.client.service;

/**
 * Why an operation on files of a server failed: a word for the reasons of all versions of NFS (RFC
 * 1813, Section 2.6; RFC 8881, Section 15.1).
 */
public enum Status {
    /** The caller is not the owner. */
    PERM("operation not permitted"),
    /** There is no file of that name. */
    NOENT("no such file or directory"),
    /** The storage of the server failed. */
    IO("input/output error on the server"),
    /** There is no such device. */
    NXIO("no such device"),
    /** The caller has no right to it. */
    ACCES("permission denied"),
    /** A file has the name already. */
    EXIST("file exists"),
    /** The files lie in different file systems. */
    XDEV("not on the same file system"),
    /** The server has no such device. */
    NODEV("no such device"),
    /** The file is no directory. */
    NOTDIR("not a directory"),
    /** The file is a directory. */
    ISDIR("is a directory"),
    /** An argument makes no sense to the server. */
    INVAL("invalid argument"),
    /** The file would be larger than a file can be. */
    FBIG("file too large"),
    /** The file system is full. */
    NOSPC("no space left on the server"),
    /** The file system cannot be changed. */
    ROFS("read-only file system"),
    /** The file has as many names as it can have. */
    MLINK("too many hard links"),
    /** A name is longer than the file system takes. */
    NAMETOOLONG("name too long"),
    /** The directory has files. */
    NOTEMPTY("directory not empty"),
    /** The caller has used up the allowed space. */
    DQUOT("quota exceeded"),
    /** The file of the handle is gone. */
    STALE("the file is gone (stale handle)"),
    /** A path has too many servers in it. */
    REMOTE("too many levels of remote file systems"),
    /** The file system is at another server. */
    MOVED("it has moved to another server"),
    /** The server wants another flavor of security for the file. */
    WRONGSEC("the server wants another flavor of security"),
    /** The handle is not one of this server. */
    BADHANDLE("not a handle of this server"),
    /** The file has changed since it was looked at. */
    NOT_SYNC("the file changed in between"),
    /** The listing cannot be continued. */
    BAD_COOKIE("the directory changed too much to go on listing it"),
    /** The server, or the version of NFS, has no such operation. */
    NOTSUPP("not supported by the server"),
    /** The reply does not fit the room for it. */
    TOOSMALL("the requested reply size is too small"),
    /** The server failed for a reason that no other status has. */
    SERVERFAULT("the server failed"),
    /** The server makes no files of that type. */
    BADTYPE("a file of that type cannot be made"),
    /** The file has the attributes that it must not have. */
    SAME("the file is what it must not be"),
    /** The file does not have the attributes that it must have. */
    NOT_SAME("the file is not what it must be"),
    /** The server does not know any more that the file is open. */
    NOT_OPEN("the server has forgotten that it is open"),
    /** Another client has opened or locked the file so that this one may not use it. */
    LOCKED("locked by another client"),
    /** The file has no extended attribute of that name (RFC 8276, Section 8.5). */
    NOXATTR("no such extended attribute"),
    /** The value of an extended attribute is longer than the server takes. */
    XATTR2BIG("the extended attribute is longer than the server takes"),
    /** The server has restarted, and waits for the clients that it had. */
    GRACE("the server has restarted, and waits for its clients: try again later"),
    /** The server is not ready: the same call may succeed later. */
    JUKEBOX("try again later");

    private final String description;

    Status(String description) {
        this.description = description;
    }

    /** Returns the reason for a user. */
    public String description() {
        return description;
    }
}
