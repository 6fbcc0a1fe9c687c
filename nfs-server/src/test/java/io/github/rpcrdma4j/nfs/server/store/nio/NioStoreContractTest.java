package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.Ground;
import io.github.rpcrdma4j.nfs.server.store.FileStore;
import io.github.rpcrdma4j.nfs.server.store.FileStoreContract;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.opentest4j.TestAbortedException;

/** The contract of stores, on {@link NioStore} with several kinds of file systems. */
class NioStoreContractTest {
    private abstract static class OnGround extends FileStoreContract {
        private final Ground.Kind kind;

        OnGround(Ground.Kind kind) {
            this.kind = kind;
        }

        @Override
        protected Ground makeGround() throws IOException {
            return Ground.of(kind);
        }

        @Override
        protected FileStore open(Ground ground, WriteVerifier verifier) throws IOException {
            return NioStore.open(ground.root(), 1, verifier);
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
    class OfBasicFiles extends OnGround {
        OfBasicFiles() {
            super(Ground.Kind.BASIC);
        }
    }

    @Nested
    class OfPosixFiles extends OnGround {
        OfPosixFiles() {
            super(Ground.Kind.POSIX);
        }
    }

    /** As a user that is not root. */
    @Nested
    class OfLocalFiles extends OnGround {
        OfLocalFiles() {
            super(Ground.Kind.LOCAL);
        }

        @Override
        protected Ground makeGround() throws IOException {
            var ground = super.makeGround();
            try {
                open(ground, verifier).close();
                return ground;
            } catch (IOException refused) {
                ground.close();
                throw new TestAbortedException(refused.getMessage());
            }
        }
    }
}
