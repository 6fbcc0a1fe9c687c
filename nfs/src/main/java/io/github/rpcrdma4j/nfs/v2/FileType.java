package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.xdr.XdrException;

/**
 * The type of a file: {@code ftype}, in the order of its numbers (RFC 1094, Section 2.3.2). The RFC
 * ends with symbolic links; the definition of the protocol that systems share goes on.
 */
public enum FileType {
    NONE,
    REGULAR,
    DIRECTORY,
    BLOCK_DEVICE,
    /** A FIFO too, with the device {@link FileAttributes#FIFO_DEVICE}. */
    CHARACTER_DEVICE,
    SYMBOLIC_LINK,
    SOCKET,
    BAD,
    FIFO;

    private static final FileType[] BY_NUMBER = values();

    /** Returns the number on the wire. */
    public int number() {
        return ordinal();
    }

    static FileType of(int number) throws XdrException {
        if (number < 0 || number >= BY_NUMBER.length) {
            throw new XdrException("unknown file type " + Integer.toUnsignedString(number));
        }
        return BY_NUMBER[number];
    }
}
