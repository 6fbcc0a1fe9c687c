package io.github.rpcrdma4j.nfs.store;

/**
 * What the file system of a file can do.
 *
 * @param xattrs whether its files have extended attributes of users
 * @param acls whether its files have access control lists beyond their mode
 * @param births whether it records when a file was made
 * @param blockBytes the unit in which files share storage, if they can
 * @param limits what it can keep of files
 */
public record FileSystemFeatures(
        boolean xattrs, boolean acls, boolean births, int blockBytes, FileSystemLimits limits) {
    private static final int UNIT = 4096;

    /** Those of a store that has none of them, and no links. */
    public static final FileSystemFeatures PLAIN =
            new FileSystemFeatures(
                    false,
                    false,
                    false,
                    UNIT,
                    new FileSystemLimits(1, false, false, true, Long.MAX_VALUE, 1));

    /** Those of a store that has symbolic links, and files of several names. */
    public static final FileSystemFeatures WITH_LINKS =
            new FileSystemFeatures(false, false, false, UNIT, FileSystemLimits.LINUX);
}
