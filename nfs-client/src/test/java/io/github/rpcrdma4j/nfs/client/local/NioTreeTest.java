package io.github.rpcrdma4j.nfs.client.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * Files of the operating system, accessed by paths, as on systems without the Linux system calls.
 */
class NioTreeTest extends LocalTreeContract {
    @Override
    Set<Trait> traits() {
        return EnumSet.of(
                Trait.BYTES,
                Trait.MODES,
                Trait.PERMISSIONS,
                Trait.OWNERS,
                Trait.NAMES_OF_LINKS,
                Trait.DEFAULT);
    }

    @Override
    Path makeDirectory() throws IOException {
        return Files.createTempDirectory("nfs-client").toRealPath();
    }

    @Override
    LocalTree open(Path opened) throws IOException {
        return NioTree.open(opened, WHAT);
    }
}
