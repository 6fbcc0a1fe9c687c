package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/** Directories for tests of {@link LinuxStore}. */
final class LinuxDirectory {
    private LinuxDirectory() {}

    /** Makes an empty directory, or skips the test if this system lacks what the store needs. */
    static TestDirectory make() throws IOException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        return new TestDirectory(Files.createTempDirectory("nfs-server"), Optional.empty());
    }
}
