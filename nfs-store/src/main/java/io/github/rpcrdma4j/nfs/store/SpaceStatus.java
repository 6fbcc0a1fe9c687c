package io.github.rpcrdma4j.nfs.store;

/**
 * The space of a file system, in bytes and in numbers of files.
 *
 * @param totalBytes the bytes that it can hold
 * @param freeBytes those that are not used
 * @param availableBytes the free bytes for users without privileges
 * @param totalFiles the files that it can hold
 * @param freeFiles those that are not used
 * @param availableFiles the free files for users without privileges
 * @param nameMax the longest name, in bytes
 * @param linksMax the most names that a file can have
 */
public record SpaceStatus(
        long totalBytes,
        long freeBytes,
        long availableBytes,
        long totalFiles,
        long freeFiles,
        long availableFiles,
        int nameMax,
        int linksMax) {
    /** The longest name of most file systems, in bytes. */
    static final int NAME_MAX = 255;

    /** That of a store which knows no bound. */
    public static final SpaceStatus UNKNOWN =
            new SpaceStatus(
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    NAME_MAX,
                    Integer.MAX_VALUE);
}
