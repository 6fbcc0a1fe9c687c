package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The mounts of several URLs: one for each export. Used by one thread.
 *
 * <p>Tests: {@code OlderPathsTest}.
 */
public final class Mounts implements AutoCloseable {
    private record Mounted(NfsUrl.Server server, NfsMount mount) {
        boolean holds(NfsUrl url) {
            return server.equals(url.server()) && mount.holds(url.path());
        }
    }

    private final Remote remote;
    private final List<Mounted> mounted = new ArrayList<>();

    public Mounts(Remote remote) {
        this.remote = remote;
    }

    /** Returns the mount of the export that holds a file; connects if it is the first there. */
    public NfsMount of(NfsUrl url) throws IOException, InterruptedException {
        // An export of version 3 may have a longer path than the root of version 4.
        var held =
                mounted.stream()
                        .filter(each -> each.holds(url))
                        .max(Comparator.comparingInt(each -> each.mount.export().length()));
        var mount = held.map(Mounted::mount);
        var other =
                held.isPresent()
                        ? remote.olderMount(mount.get(), url)
                        : Optional.of(remote.mount(url));
        other.ifPresent(each -> mounted.add(new Mounted(url.server(), each)));
        return other.or(() -> mount).orElseThrow();
    }

    @Override
    public void close() {
        mounted.forEach(each -> each.mount.close());
    }
}
