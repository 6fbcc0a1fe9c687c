package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Goal: a store says why it does not use the handles of the kernel. */
class DescriptionTest {
    /** The kernel has no handles in it, for nobody. */
    private static final Path WITHOUT_HANDLES = Path.of("/sys");

    @Test
    void namesWhatIsMissing() throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(Files.isDirectory(WITHOUT_HANDLES.resolve("class")), "sysfs is not mounted");
        try (var store =
                LinuxStores.ofProcess().open(WITHOUT_HANDLES, false, 1, new WriteVerifier())) {
            var why =
                    Identity.ofProcess().mayOpenHandles()
                            ? "because their file system has no lasting handles"
                            : "for lack of CAP_DAC_READ_SEARCH";
            assertTrue(store.description().contains("index of names, " + why), store::description);
        }
    }
}
