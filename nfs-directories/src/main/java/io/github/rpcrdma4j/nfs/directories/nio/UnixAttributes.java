package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.store.Time;
import java.nio.file.attribute.FileTime;
import java.util.Map;

/**
 * The attributes of a file on a Unix system.
 *
 * @param all the attributes of {@link #NAMES}, by name
 */
record UnixAttributes(Map<String, Object> all) {
    /** The needed attributes. None of them requires a lookup elsewhere, as names of users would. */
    static final String NAMES =
            "unix:mode,ino,dev,nlink,uid,gid,rdev,size,lastAccessTime,lastModifiedTime,ctime,"
                    + "creationTime,isDirectory,isSymbolicLink";

    private Number number(String name) {
        return (Number) all.get(name);
    }

    private FileTime time(String name) {
        return (FileTime) all.get(name);
    }

    static Time time(FileTime time) {
        var instant = time.toInstant();
        return new Time(instant.getEpochSecond(), instant.getNano());
    }

    /** Returns type and permissions; some file systems omit the type. */
    int mode() {
        return number("mode").intValue();
    }

    boolean isDirectory() {
        return (boolean) all.get("isDirectory");
    }

    boolean isSymbolicLink() {
        return (boolean) all.get("isSymbolicLink");
    }

    long inode() {
        return number("ino").longValue();
    }

    /** Returns the device number of the file system. */
    long device() {
        return number("dev").longValue();
    }

    int links() {
        return number("nlink").intValue();
    }

    int uid() {
        return number("uid").intValue();
    }

    int gid() {
        return number("gid").intValue();
    }

    /** Returns the major number of a device file; Linux packs 12 and 20 bits into 32. */
    int major() {
        return (int) (number("rdev").longValue() >>> 8 & 0xfff);
    }

    /** Returns the minor number of a device file. */
    int minor() {
        long device = number("rdev").longValue();
        return (int) (device >>> 12 & 0xfff00 | device & 0xff);
    }

    long size() {
        return number("size").longValue();
    }

    Time accessed() {
        return time(time("lastAccessTime"));
    }

    Time modified() {
        return time(time("lastModifiedTime"));
    }

    /**
     * @param countsChanges whether every change reliably updates the change time; otherwise the
     *     later of change time and modification time is returned
     */
    Time changed(boolean countsChanges) {
        var changed = time("ctime");
        var modified = time("lastModifiedTime");
        return time(countsChanges || changed.compareTo(modified) > 0 ? changed : modified);
    }

    Time born() {
        return time(time("creationTime"));
    }

    /** Returns a number that is derived from the time of birth. */
    int birth() {
        var made = time("creationTime").toInstant();
        return 31 * Long.hashCode(made.getEpochSecond()) + made.getNano();
    }
}
