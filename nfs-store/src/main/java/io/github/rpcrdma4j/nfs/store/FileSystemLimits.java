package io.github.rpcrdma4j.nfs.store;

/**
 * What a kind of file system can keep of files. The kernel does not tell it.
 *
 * @param linksMax the most names that a file can have
 * @param hasSymbolicLinks whether it has symbolic links
 * @param foldsCase whether two names are one if they differ in case alone
 * @param keepsCase whether names keep the case of their letters
 * @param bytesMax the size of the largest file, in bytes
 * @param timeStepNanos how exactly it keeps modification times that are set, in nanoseconds
 */
public record FileSystemLimits(
        int linksMax,
        boolean hasSymbolicLinks,
        boolean foldsCase,
        boolean keepsCase,
        long bytesMax,
        long timeStepNanos) {
    /** Those of a file system that keeps what Linux can ask for, and of an unknown one. */
    public static final FileSystemLimits LINUX =
            new FileSystemLimits(Integer.MAX_VALUE, true, false, true, Long.MAX_VALUE, 1);

    /** Returns whether a file can have several names. */
    public boolean hasHardLinks() {
        return linksMax > 1;
    }

    /** Returns the same with another number of names. */
    public FileSystemLimits withLinksMax(int max) {
        return new FileSystemLimits(
                max, hasSymbolicLinks, foldsCase, keepsCase, bytesMax, timeStepNanos);
    }

    /** Returns the same with another size of the largest file. */
    public FileSystemLimits withBytesMax(long max) {
        return new FileSystemLimits(
                linksMax, hasSymbolicLinks, foldsCase, keepsCase, max, timeStepNanos);
    }

    /** Returns the same with another step of times. */
    public FileSystemLimits withTimeStepNanos(long nanos) {
        return new FileSystemLimits(
                linksMax, hasSymbolicLinks, foldsCase, keepsCase, bytesMax, nanos);
    }
}
