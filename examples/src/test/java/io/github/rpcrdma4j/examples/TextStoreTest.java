package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.ReadOnlyStoreContract;
import java.io.Closeable;
import java.util.Map;

/** Goal: a store of the fewest methods does what every store does that cannot be changed. */
class TextStoreTest extends ReadOnlyStoreContract<TextStoreTest.Texts> {
    /** Texts that stay when their store is closed. */
    record Texts(TextStore texts) implements Closeable {
        @Override
        public void close() {}
    }

    @Override
    protected Texts makePlace() {
        return new Texts(new TextStore(Map.of("directory/file", "hello"), Time.now()));
    }

    @Override
    protected FileStore open(Texts place, WriteVerifier verifier) {
        return place.texts().open(1, verifier);
    }
}
