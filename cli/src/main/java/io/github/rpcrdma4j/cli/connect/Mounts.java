package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The mounts of several URLs: one for each export. Used by one thread. */
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
        for (var each : mounted) {
            if (each.holds(url)) {
                return each.mount;
            }
        }
        var mount = remote.mount(url);
        mounted.add(new Mounted(url.server(), mount));
        return mount;
    }

    @Override
    public void close() {
        mounted.forEach(each -> each.mount.close());
    }
}
