package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Service;
import io.github.rpcrdma4j.nfs.client.v4.Nfs4Service;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpConnector;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Connects to NFS servers, over any transport.
 *
 * <p>Tests: {@code NfsFilesTest}, {@code RefusedVersionsTest}.
 */
public final class NfsClient {
    private NfsClient() {}

    /**
     * Connects to the server of a URL, over its transport. For version 3, MOUNT is called over the
     * same transport; over TCP, also where the rpcbind of the server says.
     *
     * @param options without a caller, it is the user of this process
     * @return the files of the server, to be closed by the caller
     * @throws IOException if the server cannot be reached, or refuses
     */
    public static FileService connect(NfsUrl url, ClientOptions options)
            throws IOException, InterruptedException {
        var to = Connectors.of(url, options);
        return connect(to.nfs, to.mount, to.options);
    }

    /**
     * Connects to the server of a URL, as {@link #connect(NfsUrl, ClientOptions)} does, but calls
     * MOUNT over TCP, as the server of a Linux kernel requires for versions 2 and 3.
     *
     * @param mount the address of the MOUNT service; its port is usually 20048
     */
    public static FileService connect(NfsUrl url, InetSocketAddress mount, ClientOptions options)
            throws IOException, InterruptedException {
        var to = Connectors.of(url, mount, options);
        return connect(to.nfs, to.mount, to.options);
    }

    /** Mounts the export that holds the path of a URL, over its transport. */
    static NfsMount mount(NfsUrl url, ClientOptions options)
            throws IOException, InterruptedException {
        var to = Connectors.of(url, options);
        return mount(url, to.nfs, to.mount, to.options, _ -> {});
    }

    /** Mounts an export likewise, but calls MOUNT over TCP. */
    static NfsMount mount(NfsUrl url, InetSocketAddress mount, ClientOptions options)
            throws IOException, InterruptedException {
        var to = Connectors.of(url, mount, options);
        return mount(url, to.nfs, to.mount, to.options, _ -> {});
    }

    /**
     * What connects to the services of a server.
     *
     * @param options with a caller
     */
    private record Connectors(Connector nfs, Connector mount, ClientOptions options) {
        static Connectors of(NfsUrl url, ClientOptions options) {
            var own = withCaller(options);
            return switch (url.transport()) {
                case RDMA -> {
                    var overRdma = overRdma(url, own);
                    yield new Connectors(overRdma, overRdma, own);
                }
                case TCP -> {
                    var overTcp = overTcp(url.address(), own);
                    var mount = new MountConnector(overTcp, own.mountVersion(), overTcp.options());
                    yield new Connectors(overTcp, mount, own);
                }
            };
        }

        static Connectors of(NfsUrl url, InetSocketAddress mount, ClientOptions options) {
            var own = withCaller(options);
            Connector nfs =
                    switch (url.transport()) {
                        case RDMA -> overRdma(url, own);
                        case TCP -> overTcp(url.address(), own);
                    };
            return new Connectors(nfs, overTcp(mount, own), own);
        }
    }

    private static TcpConnector overTcp(InetSocketAddress server, ClientOptions options) {
        return new TcpConnector(
                server, options.caller(), TcpClientOptions.within(options.timeout()));
    }

    /** Without a caller in the options it is the user of this process. */
    private static ClientOptions withCaller(ClientOptions options) {
        return options.caller() instanceof Credential.None
                ? options.withCaller(ProcessCredential.read())
                : options;
    }

    private static Connector overRdma(NfsUrl url, ClientOptions options) {
        return RpcRdmaClient.builder()
                .credential(options.caller())
                .bindings(options.bindings())
                .connectTimeout(options.timeout())
                .connector(new InetSocketAddress(url.host(), url.port()));
    }

    /**
     * Connects to a server, as {@link #connect(Connector, Connector, ClientOptions)} does, but does
     * not ask again for versions that it refused some minutes ago. If it has none of the others any
     * more, it is asked for all of them.
     *
     * @param server what the connectors connect to
     * @param refused what servers said before; holds afterwards what this one said
     */
    public static FileService connect(
            NfsUrl.Server server,
            RefusedVersions refused,
            Connector nfs,
            Connector mount,
            ClientOptions options)
            throws IOException, InterruptedException {
        var others = refused.without(server, options.versions());
        if (!others.isEmpty() && others.size() < options.versions().size()) {
            try {
                return answering(connect(nfs, mount, options.withVersions(others)));
            } catch (IOException failure) {
                if (!Nfs4Service.isOtherVersion(failure)) {
                    throw failure;
                }
            }
        }
        var lacking = EnumSet.noneOf(NfsVersion.class);
        var service = connect(nfs, mount, options, lacking);
        refused.refused(server, lacking);
        return service;
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
        return connect(nfs, mount, options, EnumSet.noneOf(NfsVersion.class));
    }

    /**
     * Connects likewise.
     *
     * @param lacking gets the versions that the server does not have. One that denies a version may
     *     have it later, and one without the program may be starting.
     */
    private static FileService connect(
            Connector nfs, Connector mount, ClientOptions options, Set<NfsVersion> lacking)
            throws IOException, InterruptedException {
        IOException failure = null;
        for (var version : options.versions()) {
            if (failure instanceof RpcException && isOfProgram4(version)) {
                // The server has no version 4 at all, or denies it.
                if (Nfs4Service.isMissing(failure)) {
                    lacking.add(version);
                }
                continue;
            }
            try {
                return connect(nfs, mount, options, version);
            } catch (IOException refused) {
                if (!Nfs4Service.isOtherVersion(refused)) {
                    throw refused;
                }
                if (Nfs4Service.isMissing(refused)) {
                    lacking.add(version);
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
        var mounted = NfsMount.of(connect(nfs, mount, options), url.path());
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
