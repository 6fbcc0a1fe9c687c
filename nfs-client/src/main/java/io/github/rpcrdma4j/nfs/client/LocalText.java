package io.github.rpcrdma4j.nfs.client;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** Local names and paths as text. */
public final class LocalText {
    private LocalText() {}

    /**
     * The text of a path, if it stands for that path and no other: the bytes of a local name need
     * not be text, and then what they become here leads elsewhere.
     */
    public static Optional<String> of(Path path) {
        var text = path.toString();
        try {
            return path.getFileSystem().getPath(text).equals(path)
                    ? Optional.of(text)
                    : Optional.empty();
        } catch (InvalidPathException _) {
            return Optional.empty();
        }
    }
}
