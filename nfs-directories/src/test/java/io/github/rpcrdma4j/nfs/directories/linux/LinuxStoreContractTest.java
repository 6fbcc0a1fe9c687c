package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.FileStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Nested;

/**
 * The contract of stores, on {@link LinuxStore}. The user of the process determines which parts can
 * run: see {@code dev/identities}.
 */
class LinuxStoreContractTest {
    private abstract static class OnLinux extends FileStoreContract<TestDirectory> {
        @Override
        protected TestDirectory makePlace() throws IOException {
            return LinuxDirectory.make();
        }

        @Override
        protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
            return LinuxStores.ofProcess().open(place.root(), false, 1, verifier);
        }

        @Override
        protected Set<Trait> traits() {
            return Set.of(Trait.values());
        }
    }

    /** As the user of the process. */
    @Nested
    class AsTheServersUser extends OnLinux {
        @Override
        protected Caller caller() {
            int uid = Identity.ofProcess().uid();
            return new Caller.User(uid, uid);
        }
    }

    /** As another user, who owns the exported directory. */
    @Nested
    class AsAnotherUser extends OnLinux {
        private static final int ID = 4711;

        @Override
        protected TestDirectory makePlace() throws IOException {
            assumeTrue(
                    LinuxStores.missing().isEmpty() && Identity.ofProcess().mayAct(),
                    "this process may not act for others");
            var place = super.makePlace();
            Files.setAttribute(place.root(), "unix:uid", ID);
            Files.setAttribute(place.root(), "unix:gid", ID);
            return place;
        }

        @Override
        protected Caller caller() {
            return new Caller.User(ID, ID);
        }
    }

    /** With only two descriptors of each kind, for which all calls compete. */
    @Nested
    class WithTwoDescriptors extends OnLinux {
        @Override
        protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
            return new LinuxStores(2, 2, 2, DataFiles.Force.KERNEL)
                    .open(place.root(), false, 1, verifier);
        }
    }

    /** On another file system, which is in memory. */
    @Nested
    class OnTmpfs extends OnLinux {
        private static final Path SHARED_MEMORY = Path.of("/dev/shm");

        @Override
        protected TestDirectory makePlace() throws IOException {
            assumeTrue(
                    Files.isWritable(SHARED_MEMORY) && LinuxStores.missing().isEmpty(),
                    "there is no tmpfs here");
            var directory = Files.createTempDirectory(SHARED_MEMORY, "nfs-server");
            return new TestDirectory(directory, Optional.empty());
        }
    }

    /** With an export that may cross mounts, so that its root is not a private mount. */
    @Nested
    class WithMountsCrossed extends OnLinux {
        @Override
        protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
            return LinuxStores.ofProcess().open(place.root(), true, 1, verifier);
        }
    }
}
