package io.github.rpcrdma4j.nfs.client.local;

/**
 * An open tree and a path in it.
 *
 * @param tree owned by this object, which closes it
 */
public record PathInTree(LocalTree tree, LocalPath path) implements AutoCloseable {
    @Override
    public void close() {
        tree.close();
    }
}
