package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.store.Time;
import java.nio.file.attribute.FileTime;
import java.util.Map;

/**
 * What an operating system of the Unix kind says of a file.
 *
 * @param all what {@link #NAMES} asks for
 */
record UnixAttributes(Map<String, Object> all) {
    /** Asks for what is needed, and for nothing that would be looked up elsewhere. */
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

    /** Type and permissions; some file systems leave the type out. */
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

    /** The number of the file system's device. */
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

    /** The major number of the device that the file is; Linux packs 12 and 20 bits into 32. */
    int major() {
        return (int) (number("rdev").longValue() >>> 8 & 0xfff);
    }

    /** The minor number of it. */
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
     * @param countsChanges whether the time of the last change is sure to move with every change
     */
    Time changed(boolean countsChanges) {
        var changed = time("ctime");
        var modified = time("lastModifiedTime");
        return time(countsChanges || changed.compareTo(modified) > 0 ? changed : modified);
    }

    /** A number from the time when the file was made. */
    int birth() {
        var made = time("creationTime").toInstant();
        return 31 * Long.hashCode(made.getEpochSecond()) + made.getNano();
    }
}
