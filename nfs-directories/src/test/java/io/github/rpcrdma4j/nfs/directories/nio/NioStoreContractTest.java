package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.FileStoreContract;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.opentest4j.TestAbortedException;

/** The contract of stores, on {@link NioStore} with several kinds of file systems. */
class NioStoreContractTest {
    private abstract static class InTestDirectory extends FileStoreContract<TestDirectory> {
        private final TestDirectory.Kind kind;

        InTestDirectory(TestDirectory.Kind kind) {
            this.kind = kind;
        }

        @Override
        protected TestDirectory makePlace() throws IOException {
            return TestDirectory.of(kind);
        }

        @Override
        protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
            return NioStore.open(place.root(), 1, verifier);
        }

        @Override
        protected Set<Trait> traits() {
            return switch (kind) {
                case LOCAL -> Set.of(Trait.MODES, Trait.LINK_COUNTS, Trait.HOLES);
                case POSIX -> Set.of(Trait.MODES, Trait.LINK_COUNTS);
                case BASIC -> Set.of();
            };
        }
    }

    @Nested
    class OfBasicFiles extends InTestDirectory {
        OfBasicFiles() {
            super(TestDirectory.Kind.BASIC);
        }
    }

    @Nested
    class OfPosixFiles extends InTestDirectory {
        OfPosixFiles() {
            super(TestDirectory.Kind.POSIX);
        }
    }

    /** As a user that is not root. */
    @Nested
    class OfLocalFiles extends InTestDirectory {
        OfLocalFiles() {
            super(TestDirectory.Kind.LOCAL);
        }

        @Override
        protected TestDirectory makePlace() throws IOException {
            var place = super.makePlace();
            try {
                open(place, verifier).close();
                return place;
            } catch (IOException refused) {
                place.close();
                throw new TestAbortedException(refused.getMessage());
            }
        }
    }
}
