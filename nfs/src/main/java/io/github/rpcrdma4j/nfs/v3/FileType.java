package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.xdr.XdrException;

/** {@code ftype3}, in the order of its numbers from 1 on (RFC 1813, Section 2.5). */
public enum FileType {
    REGULAR,
    DIRECTORY,
    BLOCK_DEVICE,
    CHARACTER_DEVICE,
    SYMBOLIC_LINK,
    SOCKET,
    FIFO;

    private static final FileType[] BY_NUMBER = values();

    int number() {
        return ordinal() + 1;
    }

    static FileType of(int number) throws XdrException {
        if (number < 1 || number > BY_NUMBER.length) {
            throw new XdrException("unknown file type " + Integer.toUnsignedString(number));
        }
        return BY_NUMBER[number - 1];
    }
}
