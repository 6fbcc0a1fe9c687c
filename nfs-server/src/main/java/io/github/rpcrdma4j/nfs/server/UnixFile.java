package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/** What an operating system of the Unix kind says of a file. */
interface UnixFile {
    /** Type and permissions; some file systems leave the type out. */
    int mode();

    boolean isDirectory();

    boolean isSymbolicLink();

    long inode();

    /** The number of the file system's device, as Linux packs it. */
    long device();

    int links();

    int uid();

    int gid();

    /** The number of the device that the file is, as Linux packs it. */
    long node();

    /** Octets. */
    long size();

    Timestamp accessed();

    Timestamp modified();

    Timestamp changed();

    /** A number from the time when the file was made, or if that is unknown, was last modified. */
    int birth();

    /** The number for a time. */
    static int birth(long seconds, int nanos) {
        return 31 * Long.hashCode(seconds) + nanos;
    }

    /**
     * What {@code java.nio.file} gives.
     *
     * @param all what {@link #NAMES} asks for
     * @param countsChanges whether the time of the last change is sure to move with every change
     */
    record Named(Map<String, Object> all, boolean countsChanges) implements UnixFile {
        /** Asks for what is needed, and for nothing that would be looked up elsewhere. */
        static final String NAMES =
                "unix:mode,ino,dev,nlink,uid,gid,rdev,size,lastAccessTime,lastModifiedTime,ctime,"
                        + "creationTime,isDirectory,isSymbolicLink";

        private Number number(String name) {
            return (Number) all.get(name);
        }

        private Instant time(String name) {
            return ((FileTime) all.get(name)).toInstant();
        }

        @Override
        public int mode() {
            return number("mode").intValue();
        }

        @Override
        public boolean isDirectory() {
            return (boolean) all.get("isDirectory");
        }

        @Override
        public boolean isSymbolicLink() {
            return (boolean) all.get("isSymbolicLink");
        }

        @Override
        public long inode() {
            return number("ino").longValue();
        }

        @Override
        public long device() {
            return number("dev").longValue();
        }

        @Override
        public int links() {
            return number("nlink").intValue();
        }

        @Override
        public int uid() {
            return number("uid").intValue();
        }

        @Override
        public int gid() {
            return number("gid").intValue();
        }

        @Override
        public long node() {
            return number("rdev").longValue();
        }

        @Override
        public long size() {
            return number("size").longValue();
        }

        @Override
        public Timestamp accessed() {
            return Timestamp.of(time("lastAccessTime"));
        }

        @Override
        public Timestamp modified() {
            return Timestamp.of(time("lastModifiedTime"));
        }

        @Override
        public Timestamp changed() {
            var changed = time("ctime");
            var modified = time("lastModifiedTime");
            boolean stands = countsChanges || changed.compareTo(modified) > 0;
            return Timestamp.of(stands ? changed : modified);
        }

        @Override
        public int birth() {
            var made = time("creationTime");
            return UnixFile.birth(made.getEpochSecond(), made.getNano());
        }
    }
}
