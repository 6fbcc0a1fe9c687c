package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.FileStoreContract;
import java.io.Closeable;
import java.util.Set;

/** Goal: a store that others may write in an afternoon does what every store does. */
class MemoryStoreTest extends FileStoreContract<MemoryStoreTest.Files> {
    /** Files that stay when their store is closed. */
    record Files(MemoryStore files) implements Closeable {
        @Override
        public void close() {}
    }

    @Override
    protected Files makePlace() {
        return new Files(new MemoryStore());
    }

    @Override
    protected FileStore open(Files place, WriteVerifier verifier) {
        return place.files().open(1, verifier);
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of(Trait.MODES, Trait.LINK_COUNTS, Trait.ANY_BYTES, Trait.OPENS);
    }
}
