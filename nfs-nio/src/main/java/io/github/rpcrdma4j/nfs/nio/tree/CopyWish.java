package io.github.rpcrdma4j.nfs.nio.tree;

import java.nio.file.CopyOption;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;

/**
 * How a program wants to copy or move a file. Immutable.
 *
 * @param replaces whether a file of the new name gives way
 * @param keepsAttributes whether times, permissions and owner are copied too
 * @param isAtomic whether it is moved at once or not at all
 */
public record CopyWish(
        boolean replaces, boolean keepsAttributes, boolean isAtomic, boolean followsLinks) {
    /**
     * An interrupt ends each copy, so this option of the JDK asks for nothing more. It is told by
     * its name, because its module need not be there.
     */
    private static final String INTERRUPTIBLE = "com.sun.nio.file.ExtendedCopyOption";

    /**
     * Returns the wish to copy.
     *
     * @throws UnsupportedOperationException if an option is not one of a copy
     */
    public static CopyWish ofCopy(CopyOption... options) {
        var wish = of(options);
        if (wish.isAtomic) {
            throw new UnsupportedOperationException("no copy is atomic");
        }
        return wish;
    }

    /**
     * Returns the wish to move.
     *
     * @throws UnsupportedOperationException if an option is not one of a move
     */
    public static CopyWish ofMove(CopyOption... options) {
        var wish = of(options);
        if (wish.keepsAttributes) {
            throw new UnsupportedOperationException("a moved file has its attributes anyway");
        }
        return new CopyWish(wish.replaces, true, wish.isAtomic, false);
    }

    private static CopyWish of(CopyOption... options) {
        boolean replaces = false;
        boolean keepsAttributes = false;
        boolean isAtomic = false;
        boolean followsLinks = true;
        for (var option : options) {
            switch (option) {
                case StandardCopyOption.REPLACE_EXISTING -> replaces = true;
                case StandardCopyOption.COPY_ATTRIBUTES -> keepsAttributes = true;
                case StandardCopyOption.ATOMIC_MOVE -> isAtomic = true;
                case LinkOption.NOFOLLOW_LINKS -> followsLinks = false;
                case null -> throw new NullPointerException("an option is null");
                default -> requireInterruptible(option);
            }
        }
        return new CopyWish(replaces, keepsAttributes, isAtomic, followsLinks);
    }

    private static void requireInterruptible(CopyOption option) {
        if (!option.getClass().getName().equals(INTERRUPTIBLE)) {
            throw new UnsupportedOperationException(option + " is not supported");
        }
    }
}
