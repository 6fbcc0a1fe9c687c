package io.github.rpcrdma4j.nfs.client;

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
import java.util.concurrent.ConcurrentSkipListMap;

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
