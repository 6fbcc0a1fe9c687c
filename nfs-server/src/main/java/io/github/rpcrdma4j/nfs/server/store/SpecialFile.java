package io.github.rpcrdma4j.nfs.server.store;

/** A file that MKNOD makes. */
public sealed interface SpecialFile {
    record Fifo() implements SpecialFile {}

    record Socket() implements SpecialFile {}

    record CharacterDevice(int major, int minor) implements SpecialFile {}

    record BlockDevice(int major, int minor) implements SpecialFile {}
}
