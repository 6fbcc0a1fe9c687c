package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.Export;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.MountedExport;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Service;
import io.github.rpcrdma4j.nfs.client.v4.Nfs4Service;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Connects to one NFS server, by the first of some versions that it has. It remembers for {@link
 * #KEPT} which versions the server said it does not have, so that another connection does not ask
 * for them again. Thread-safe.
 *
 * <p>Tests: {@code NfsConnectorTest}, {@code OlderExportsTest}.
 */
public final class NfsConnector {
    /** How long it counts what the server said; it may be upgraded. */
    public static final Duration KEPT = Duration.ofMinutes(10);

    /**
     * How long each step to version 3 may take if version 4 does not have a path: a port of MOUNT
     * behind a firewall must not delay a command on a file that is to be made.
     */
    static final Duration OLDER_MAX = Duration.ofSeconds(5);

    private final Connector nfs;
    private final Connector mount;
    private final ClientOptions options;
    private final LongSupplier clock;
    private Set<NfsVersion> lacking = Set.of();
    private long said;

    /** The exports of version 3, since they were asked for; null before. */
    private List<PathName> older;

    private long asked;

    /**
     * Connects to nothing at first.
     *
     * @param nfs connects to the NFS service
     * @param mount connects to the MOUNT service; the same object if one connection serves both.
     *     Version 4 does not use it.
     * @param options the versions among them, and how long a lost connection is tried again
     */
    public NfsConnector(Connector nfs, Connector mount, ClientOptions options) {
        this(nfs, mount, options, System::nanoTime);
    }

    NfsConnector(Connector nfs, Connector mount, ClientOptions options, LongSupplier clock) {
        this.nfs = new WatchedConnector(nfs, options.waits());
        this.mount = mount == nfs ? this.nfs : new WatchedConnector(mount, options.waits());
        this.options = options;
        this.clock = clock;
    }

    /**
     * Connects to the server. If it has no version any more but those that it said it does not
     * have, it is asked for all of them.
     *
     * @return the files of the server, to be closed by the caller
     * @throws IOException if a service cannot be reached, or refuses; as of the last version
     */
    public FileService connect() throws IOException, InterruptedException {
        var others = others();
        if (!others.isEmpty() && others.size() < options.versions().size()) {
            try {
                return connect(others, EnumSet.noneOf(NfsVersion.class));
            } catch (IOException failure) {
                if (!Nfs4Service.isOtherVersion(failure)) {
                    throw failure;
                }
            }
        }
        var missing = EnumSet.noneOf(NfsVersion.class);
        var service = connect(options.versions(), missing);
        remember(missing);
        return service;
    }

    private synchronized List<NfsVersion> others() {
        return clock.getAsLong() - said > KEPT.toNanos()
                ? options.versions()
                : options.versions().stream().filter(each -> !lacking.contains(each)).toList();
    }

    private synchronized void remember(Set<NfsVersion> missing) {
        lacking = missing;
        said = clock.getAsLong();
    }

    /** Requires that a server has the version of a service; version 3 connects without a call. */
    private static FileService answering(FileService service)
            throws IOException, InterruptedException {
        boolean answers = false;
        try {
            if (!isOfProgram4(service.version())) {
                service.ping();
            }
            answers = true;
            return service;
        } finally {
            if (!answers) {
                service.close();
            }
        }
    }

    /**
     * Connects by the first of some versions that the server has.
     *
     * @param missing gets those that it does not have. One that denies a version may have it later,
     *     and one without the program may be starting.
     */
    private FileService connect(List<NfsVersion> versions, Set<NfsVersion> missing)
            throws IOException, InterruptedException {
        boolean isLess = versions.size() < options.versions().size();
        IOException failure = null;
        boolean hasProgram4 = true;
        for (var version : versions) {
            if (hasProgram4 || !isOfProgram4(version)) {
                try {
                    var service = connect(nfs, mount, options, version);
                    return isLess || version != versions.getLast() ? answering(service) : service;
                } catch (IOException refused) {
                    if (!Nfs4Service.isOtherVersion(refused)) {
                        throw refused;
                    }
                    // The server has no version 4 at all, or denies it.
                    hasProgram4 &= !isOfProgram4(version) || !(refused instanceof RpcException);
                    failure = refused;
                }
            }
            if (Nfs4Service.isMissing(failure)) {
                missing.add(version);
            }
        }
        throw failure;
    }

    /**
     * Connects to the server, and mounts the export that holds a path.
     *
     * <p>A server may have another root in version 4 than in version 3: one of its exports, as old
     * servers of Linux do. So if version 3 is among the versions, too, and has an export for a path
     * that is not there in version 4, version 3 is used, as mount(8) does.
     *
     * @param older hears the path of an export that version 4 does not have
     */
    public NfsMount mount(PathName path, Consumer<PathName> older)
            throws IOException, InterruptedException {
        var mounted = NfsMount.of(connect(), path);
        var found = Optional.<NfsMount>empty();
        try {
            found = olderMount(mounted, path, older);
        } catch (InterruptedException | RuntimeException failure) {
            mounted.close();
            throw failure;
        }
        if (found.isPresent()) {
            mounted.close();
        }
        return found.orElse(mounted);
    }

    /**
     * Mounts the export of version 3 that holds a path, if version 4 does not have it.
     *
     * @param mounted by this object; it stays as it is
     * @param older as that of {@link #mount}
     * @return empty if the path is one of the other mount, or of none
     */
    public Optional<NfsMount> olderMount(NfsMount mounted, PathName path, Consumer<PathName> older)
            throws InterruptedException {
        try {
            if (!options.versions().contains(NfsVersion.VERSION_3)
                    || !isMissing(mounted, path)
                    || !hasOlder(mounted, path)) {
                return Optional.empty();
            }
            var found = NfsMount.of(connect(nfs, mount, options, NfsVersion.VERSION_3), path);
            older.accept(found.export());
            return Optional.of(found);
        } catch (IOException _) {
            // Who uses the other mount finds out what is wrong.
            return Optional.empty();
        }
    }

    /** Returns whether nothing of a path is there but the root of version 4. */
    private static boolean isMissing(NfsMount mounted, PathName path)
            throws IOException, InterruptedException {
        var names = path.names();
        return isOfProgram4(mounted.service().version())
                && !names.isEmpty()
                && mounted.export().names().isEmpty()
                && mounted.find(mounted.export().resolve(names.getFirst())).isEmpty();
    }

    /**
     * Returns whether version 3 has an export for a path that version 4 does not have. A file that
     * is to be made is missing, too, but not its export.
     */
    private boolean hasOlder(NfsMount mounted, PathName path)
            throws IOException, InterruptedException {
        var export = MountedExport.longest(olderExports(), path);
        return export.isPresent()
                && !export.get().names().isEmpty()
                && mounted.find(export.get()).isEmpty();
    }

    /** Returns the exports of version 3. The server is asked for them once, also if that fails. */
    private List<PathName> olderExports() throws InterruptedException {
        synchronized (this) {
            if (older != null && clock.getAsLong() - asked <= KEPT.toNanos()) {
                return older;
            }
        }
        List<PathName> found;
        try {
            found = askOlderExports();
        } catch (IOException _) {
            found = List.of();
        }
        synchronized (this) {
            older = found;
            asked = clock.getAsLong();
        }
        return found;
    }

    private List<PathName> askOlderExports() throws IOException, InterruptedException {
        var within = options.timeout().compareTo(OLDER_MAX) < 0 ? options.timeout() : OLDER_MAX;
        try (var asking = nfs.connect(within)) {
            // A server without version 3 says so here, however its other ports are hidden.
            asking.ping(NfsVersion.PROGRAM, NfsVersion.VERSION_3.number(), within);
        }
        var soonNfs = new Soon(nfs, within);
        var soonMount = mount == nfs ? soonNfs : new Soon(mount, within);
        var soon = options.withTimeout(within).withRetry(Duration.ZERO).withConnections(1);
        try (var service = connect(soonNfs, soonMount, soon, NfsVersion.VERSION_3)) {
            return service.exports().stream().map(Export::path).toList();
        }
    }

    /** Connects within a time. */
    private record Soon(Connector connector, Duration atMost) implements Connector {
        @Override
        public RpcClient connect() throws RpcException, InterruptedException {
            return connector.connect(atMost);
        }
    }

    private static boolean isOfProgram4(NfsVersion version) {
        return version.mountNumber().isEmpty();
    }

    private static FileService connect(
            Connector nfs, Connector mount, ClientOptions options, NfsVersion version)
            throws IOException, InterruptedException {
        return switch (version) {
            case VERSION_2, VERSION_3 ->
                    new Nfs3Service(new Nfs3Client(nfs, mount, options, version));
            case VERSION_4_0, VERSION_4_1, VERSION_4_2 ->
                    Nfs4Service.connect(nfs, options, version);
        };
    }
}
