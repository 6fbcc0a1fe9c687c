package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.UnixPaths;
import io.github.rpcrdma4j.nfs.FileName;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;

/** Converts names of local files to bytes and back. */
public final class LocalNames {
    private LocalNames() {}

    /** Returns the bytes of a name. If the file system's names are text, they are its UTF-8. */
    public static FileName of(Path name) {
        boolean areBytes =
                name.getFileSystem().equals(FileSystems.getDefault()) && defaultHasBytes();
        return areBytes ? UnixNames.name(name) : FileName.of(name.toString());
    }

    /** Returns the path of the default file system that has these bytes. */
    public static Path path(byte[] bytes) {
        return bytes.length > 0 && defaultHasBytes()
                ? UnixPaths.path(bytes)
                : Path.of(new String(bytes, StandardCharsets.UTF_8));
    }

    private static boolean defaultHasBytes() {
        return FileSystems.getDefault().getSeparator().equals("/");
    }
}
