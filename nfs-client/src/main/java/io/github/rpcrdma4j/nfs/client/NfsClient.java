package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Service;
import io.github.rpcrdma4j.nfs.client.v4.Nfs4Service;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/** Connects to NFS servers, over any transport. */
public final class NfsClient {
    private NfsClient() {}

    /** By server, the version that was found. */
    private static final Map<String, NfsVersion> FOUND = new ConcurrentSkipListMap<>();

    /**
     * Connects to a server, as {@link #connect(Connector, Connector, ClientOptions)} does. If this
     * process knows which version the server has, that is tried first.
     *
     * @param server what the connectors connect to
     */
    public static FileService connect(
            NfsUrl.Server server, Connector nfs, Connector mount, ClientOptions options)
            throws IOException, InterruptedException {
        var versions = new ArrayList<>(options.versions());
        var known = FOUND.get(server.toString());
        if (known != null && versions.remove(known)) {
            versions.addFirst(known);
        }
        var service = connect(nfs, mount, options.withVersions(versions));
        if (versions.size() > 1) {
            FOUND.put(server.toString(), service.version());
        }
        return service;
    }

    /**
     * Connects to a server, by the first of some versions that it has. Each that it does not have
     * costs a refused call.
     *
     * @param nfs connects to the NFS service
     * @param mount connects to the MOUNT service; the same object if one connection serves both.
     *     Version 4 does not use it.
     * @param options the versions among them, and how long a lost connection is tried again
     * @return the files of the server, to be closed by the caller
     * @throws IOException if a service cannot be reached, or refuses; as of the last version
     */
    public static FileService connect(Connector nfs, Connector mount, ClientOptions options)
            throws IOException, InterruptedException {
        IOException failure = null;
        for (var version : options.versions()) {
            if (failure instanceof RpcException && isOfProgram4(version)) {
                // The server has no version 4 at all, or denies it.
                continue;
            }
            try {
                return connect(nfs, mount, options, version);
            } catch (IOException refused) {
                if (!Nfs4Service.isOtherVersion(refused)) {
                    throw refused;
                }
                failure = refused;
            }
        }
        throw failure;
    }

    /**
     * Connects to the server of a URL, and mounts the export that holds its path.
     *
     * <p>A server may have another root in version 4 than in version 3: one of its exports, as old
     * servers of Linux do. So if version 3 is among the versions, too, and has an export for a path
     * that is not there in version 4, version 3 is used, as mount(8) does.
     *
     * @param older hears the path of an export that version 4 does not have
     */
    public static NfsMount mount(
            NfsUrl url,
            Connector nfs,
            Connector mount,
            ClientOptions options,
            Consumer<PathName> older)
            throws IOException, InterruptedException {
        var mounted = NfsMount.of(connect(url.server(), nfs, mount, options), url.path());
        Optional<NfsMount> found = Optional.empty();
        try {
            if (options.versions().contains(NfsVersion.VERSION_3)
                    && isMissing(mounted, url.path())) {
                found = older(mounted, nfs, mount, options, url.path());
            }
        } catch (IOException _) {
            // Who uses the mount finds out what is wrong.
        } catch (InterruptedException | RuntimeException failure) {
            mounted.close();
            throw failure;
        }
        if (found.isEmpty()) {
            return mounted;
        }
        mounted.close();
        older.accept(found.get().export());
        return found.get();
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

    /** Returns the mount of an export that only version 3 has; empty if there is none. */
    private static Optional<NfsMount> older(
            NfsMount mounted, Connector nfs, Connector mount, ClientOptions options, PathName path)
            throws IOException, InterruptedException {
        var service = connect(nfs, mount, options, NfsVersion.VERSION_3);
        var found = NfsMount.of(service, path);
        boolean isUsed = false;
        try {
            // A file that is to be made is missing, too, but not its export.
            isUsed = !found.export().names().isEmpty() && mounted.find(found.export()).isEmpty();
            return isUsed ? Optional.of(found) : Optional.empty();
        } finally {
            if (!isUsed) {
                found.close();
            }
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
