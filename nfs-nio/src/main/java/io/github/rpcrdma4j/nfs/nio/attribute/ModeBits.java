package io.github.rpcrdma4j.nfs.nio.attribute;

import io.github.rpcrdma4j.nfs.FileType;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;

/** The mode of a file, as bits and as permissions. Pure functions. */
public final class ModeBits {
    private static final PosixFilePermission[] BY_BIT = PosixFilePermission.values();
    private static final int HIGHEST = 0400;
    private static final String PERMISSIONS = "posix:permissions";

    private ModeBits() {}

    /** Returns the bits of permissions. */
    public static int of(Set<PosixFilePermission> permissions) {
        int bits = 0;
        for (var each : permissions) {
            bits |= HIGHEST >> each.ordinal();
        }
        return bits;
    }

    /**
     * Returns the bits that the attributes of a new file ask for; empty if they ask for none.
     *
     * @throws UnsupportedOperationException if they ask for something else
     */
    public static OptionalInt wanted(FileAttribute<?>... attributes) {
        var wanted = OptionalInt.empty();
        for (var each : attributes) {
            if (!each.name().equals(PERMISSIONS)) {
                throw new UnsupportedOperationException(
                        "\"" + each.name() + "\" is not set when a file is made");
            }
            wanted = OptionalInt.of(of(NamedAttributes.permissions(each.value())));
        }
        return wanted;
    }

    /** Returns the permissions of bits. The set is the caller's. */
    public static Set<PosixFilePermission> permissions(int mode) {
        var permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (var each : BY_BIT) {
            if ((mode & HIGHEST >> each.ordinal()) != 0) {
                permissions.add(each);
            }
        }
        return permissions;
    }

    /** Returns the bits that a type has in {@code st_mode}: {@link FileType#ofMode} reads them. */
    static int of(FileType type) {
        return switch (type) {
            case REGULAR -> 0100000;
            case DIRECTORY -> 0040000;
            case BLOCK_DEVICE -> 0060000;
            case CHARACTER_DEVICE -> 0020000;
            case SYMBOLIC_LINK -> 0120000;
            case SOCKET -> 0140000;
            case FIFO -> 0010000;
        };
    }
}
