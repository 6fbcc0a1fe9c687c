package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.xdr.XdrException;
import java.util.Optional;

/**
 * The type of a file, in the order of the numbers from 1 on that {@code ftype3} (RFC 1813, Section
 * 2.5) and {@code nfs_ftype4} (RFC 8881, Section 3.2) give it.
 */
public enum FileType {
    REGULAR,
    DIRECTORY,
    BLOCK_DEVICE,
    CHARACTER_DEVICE,
    SYMBOLIC_LINK,
    SOCKET,
    FIFO;

    private static final FileType[] BY_NUMBER = values();
    private static final int FORMAT_MASK = 0170000;

    /**
     * Returns the type from a Unix file mode ({@code st_mode}).
     *
     * @return empty if the mode contains no type, as on some file systems
     */
    public static Optional<FileType> ofMode(int mode) {
        return switch (mode & FORMAT_MASK) {
            case 0100000 -> Optional.of(REGULAR);
            case 0040000 -> Optional.of(DIRECTORY);
            case 0060000 -> Optional.of(BLOCK_DEVICE);
            case 0020000 -> Optional.of(CHARACTER_DEVICE);
            case 0120000 -> Optional.of(SYMBOLIC_LINK);
            case 0140000 -> Optional.of(SOCKET);
            case 0010000 -> Optional.of(FIFO);
            default -> Optional.empty();
        };
    }

    /** Returns the number on the wire, in versions 3 and 4. */
    public int number() {
        return ordinal() + 1;
    }

    /**
     * Returns the type of a number on the wire.
     *
     * @throws XdrException if version 3 has none of that number
     */
    public static FileType of(int number) throws XdrException {
        if (number < 1 || number > BY_NUMBER.length) {
            throw new XdrException("unknown file type " + Integer.toUnsignedString(number));
        }
        return BY_NUMBER[number - 1];
    }
}
