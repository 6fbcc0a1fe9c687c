package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.client.copy.LocalPlace;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import java.nio.file.Path;

/**
 * Where a copy goes on this machine. The name is for messages alone: another process may exchange
 * what has it.
 *
 * @param opened closed by the code that opened it
 * @param shown the path that the user gave, with what was added to it
 */
record NamedPlace(LocalPlace opened, Path shown) {
    /** Returns the text of the path. */
    String text() {
        return shown.toString();
    }

    /** Returns the text of the path whose directory is the one that was opened. */
    String known() {
        var own = LocalNames.path(opened.name().bytes());
        return opened.directory().resolve(own).toString();
    }
}
