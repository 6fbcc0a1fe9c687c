package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.UnixPaths;
import io.github.rpcrdma4j.nfs.FileName;
import java.nio.file.Path;

/** Converts paths of a Unix-like system to names. */
final class UnixNames {
    private UnixNames() {}

    /** Returns the name of a file in a listing. */
    static FileName name(Path name) {
        var text = name.toString();
        if (text.chars().allMatch(each -> each > 0 && each < 0x80)) {
            var likely = FileName.of(text);
            // The character set of the system may encode ASCII characters differently.
            if (UnixPaths.path(likely.bytes()).equals(name)) {
                return likely;
            }
        }
        return new FileName(UnixPaths.bytes(name));
    }
}
