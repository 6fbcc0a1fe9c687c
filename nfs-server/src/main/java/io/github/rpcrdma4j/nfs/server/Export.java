package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Path;
import java.util.List;

/**
 * A folder that clients may mount.
 *
 * @param name what they mount: a path that starts with a slash
 * @param root the folder, of any file system
 * @param readOnly whether nothing in it may be changed
 * @param flavors of the calls that reach it, the one that clients are to prefer first
 */
public record Export(String name, Path root, boolean readOnly, List<SecurityFlavor> flavors) {
    private static final List<SecurityFlavor> UNPROVED =
            List.of(SecurityFlavor.SYS, SecurityFlavor.NONE);

    public Export {
        if (!name.startsWith("/") || name.length() < 2) {
            throw new IllegalArgumentException("an export is named like /this: " + name);
        }
        if (flavors.isEmpty()) {
            throw new IllegalArgumentException("an export takes at least one flavor: " + name);
        }
        flavors = List.copyOf(flavors);
    }

    /** For callers that prove nothing. */
    public Export(String name, Path root, boolean readOnly) {
        this(name, root, readOnly, UNPROVED);
    }
}
