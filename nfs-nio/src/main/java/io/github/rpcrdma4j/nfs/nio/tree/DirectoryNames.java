package io.github.rpcrdma4j.nfs.nio.tree;

import io.github.rpcrdma4j.nfs.client.file.Listing;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.nio.path.PathText;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The names of a directory of a server, which are fetched page by page. Used by one thread at a
 * time.
 */
public final class DirectoryNames implements AutoCloseable {
    private final PathText path;
    private final NameMemory.Share memory = new NameMemory().share();
    private final Listing listing;
    private final Queue<NamedFile> fetched = new ArrayDeque<>();

    /** When the names came, by {@link System#nanoTime}. */
    private long time;

    private DirectoryNames(ServerTree tree, PathText path)
            throws IOException, InterruptedException {
        this.path = path;
        var what = ServerTree.what("list", path);
        var directory = tree.found(path, true);
        if (!directory.attributes().isDirectory()) {
            throw new NfsException(what, Status.NOTDIR);
        }
        this.listing = new Listing(tree.service(), directory.handle(), what, memory);
        fetch();
    }

    /** Begins to list a directory: the first page is fetched now. */
    public static DirectoryNames of(ServerTree tree, PathText path) throws IOException {
        return ServerTree.run(path, () -> new DirectoryNames(tree, path));
    }

    private void fetch() throws IOException, InterruptedException {
        while (fetched.isEmpty() && !listing.hasEnded()) {
            fetched.addAll(listing.next());
            time = System.nanoTime();
        }
    }

    /** Returns the next name, or null after the last. */
    public NamedFile next() throws IOException {
        if (fetched.isEmpty() && !listing.hasEnded()) {
            ServerTree.run(
                    path,
                    () -> {
                        fetch();
                        return null;
                    });
        }
        return fetched.poll();
    }

    /** Returns when the server told of the last name, by {@link System#nanoTime}. */
    public long time() {
        return time;
    }

    @Override
    public void close() {
        memory.close();
    }
}
