package io.github.rpcrdma4j.nfs.store;

/** A file that MKNOD makes. */
public sealed interface SpecialFile {
    /** A named pipe. */
    record Fifo() implements SpecialFile {}

    /** A name of a socket. */
    record Socket() implements SpecialFile {}

    /** A character device with its numbers. */
    record CharacterDevice(int major, int minor) implements SpecialFile {}

    /** A block device with its numbers. */
    record BlockDevice(int major, int minor) implements SpecialFile {}
}
