package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;

/**
 * How a program wants to open a file. Immutable.
 *
 * @param isNew whether the file must not exist
 * @param creates whether a file that does not exist is made
 * @param deletes whether the file is removed when it is closed
 * @param stability where written bytes are when a write returns
 */
public record OpenWish(
        boolean reads,
        boolean writes,
        boolean appends,
        boolean isNew,
        boolean creates,
        boolean truncates,
        boolean deletes,
        boolean followsLinks,
        Stability stability) {
    /**
     * Returns the wish of options.
     *
     * @throws UnsupportedOperationException if one of them is not supported over NFS
     * @throws IllegalArgumentException if APPEND is combined with READ or TRUNCATE_EXISTING
     */
    public static OpenWish of(Set<? extends OpenOption> options) {
        var known = EnumSet.noneOf(StandardOpenOption.class);
        boolean followsLinks = true;
        for (var option : options) {
            switch (option) {
                case StandardOpenOption standard -> known.add(standard);
                case LinkOption.NOFOLLOW_LINKS -> followsLinks = false;
                case null -> throw new NullPointerException("an option is null");
                default -> throw new UnsupportedOperationException(option + " is not supported");
            }
        }
        return of(known, followsLinks);
    }

    private static OpenWish of(Set<StandardOpenOption> options, boolean followsLinks) {
        boolean appends = options.contains(StandardOpenOption.APPEND);
        boolean writes = appends || options.contains(StandardOpenOption.WRITE);
        if (appends) {
            requireNone(options, StandardOpenOption.READ);
            requireNone(options, StandardOpenOption.TRUNCATE_EXISTING);
        }
        return new OpenWish(
                !writes || options.contains(StandardOpenOption.READ),
                writes,
                appends,
                writes && options.contains(StandardOpenOption.CREATE_NEW),
                writes && options.contains(StandardOpenOption.CREATE),
                writes && options.contains(StandardOpenOption.TRUNCATE_EXISTING),
                options.contains(StandardOpenOption.DELETE_ON_CLOSE),
                followsLinks,
                stability(options));
    }

    private static void requireNone(Set<StandardOpenOption> options, StandardOpenOption unwanted) {
        if (options.contains(unwanted)) {
            throw new IllegalArgumentException("APPEND cannot be combined with " + unwanted);
        }
    }

    private static Stability stability(Set<StandardOpenOption> options) {
        if (options.contains(StandardOpenOption.SYNC)) {
            return Stability.FILE_SYNC;
        }
        return options.contains(StandardOpenOption.DSYNC)
                ? Stability.DATA_SYNC
                : Stability.UNSTABLE;
    }

    /** Returns what the file is opened for. */
    public OpenFile.Mode mode() {
        if (!writes) {
            return OpenFile.Mode.READ;
        }
        return reads ? OpenFile.Mode.BOTH : OpenFile.Mode.WRITE;
    }
}
