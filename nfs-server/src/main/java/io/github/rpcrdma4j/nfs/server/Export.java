package io.github.rpcrdma4j.nfs.server;

import java.nio.file.Path;

/**
 * A folder that clients may mount.
 *
 * @param name what they mount: a path that starts with a slash
 * @param root the folder, of any file system
 * @param readOnly whether nothing in it may be changed
 */
public record Export(String name, Path root, boolean readOnly) {
    public Export {
        if (!name.startsWith("/") || name.length() < 2) {
            throw new IllegalArgumentException("an export is named like /this: " + name);
        }
    }
}
