package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Service;
import io.github.rpcrdma4j.nfs.client.v4.Nfs4Service;
import io.github.rpcrdma4j.oncrpc.Connector;
import java.io.IOException;

/** Connects to NFS servers, over any transport. */
public final class NfsClient {
    private NfsClient() {}

    /**
     * Connects to a server.
     *
     * @param nfs connects to the NFS service
     * @param mount connects to the MOUNT service; the same object if one connection serves both.
     *     Version 4 does not use it.
     * @param options the version among them, and how long a lost connection is tried again
     * @return the files of the server, to be closed by the caller
     * @throws IOException if a service cannot be reached, or refuses
     */
    public static FileService connect(Connector nfs, Connector mount, ClientOptions options)
            throws IOException, InterruptedException {
        return switch (options.version()) {
            case VERSION_2, VERSION_3 -> new Nfs3Service(new Nfs3Client(nfs, mount, options));
            case VERSION_4_1, VERSION_4_2 -> Nfs4Service.connect(nfs, options);
        };
    }
}
