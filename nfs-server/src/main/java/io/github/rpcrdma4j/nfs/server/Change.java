package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.WccData;
import java.util.Optional;

/** A file, or a folder, that is about to be changed, as it was before. */
record Change(Located file, Overlaps.Stay stay) {
    /** What it was before, unless somebody else changed it too, and what it is now. */
    WccData wcc() {
        var after = file.tree().now(file);
        return new WccData(
                stay.alone() ? Optional.of(WccData.Before.of(file.file())) : Optional.empty(),
                after);
    }
}
