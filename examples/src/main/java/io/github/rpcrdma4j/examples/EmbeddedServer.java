package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.client.NfsFiles;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.host.NfsHost;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * An NFS server inside a test: it serves a temporary directory over RDMA, on a free port of this
 * machine. It needs no root, no mount and no card. A directory of another file system of {@code
 * java.nio.file} can be served, too, such as one of jimfs; a zip file is served read-only.
 */
public final class EmbeddedServer implements AutoCloseable {
    private final NfsServer server;
    private final NfsHost host;

    /**
     * Serves a directory as {@code /data}. Clients may change files.
     *
     * @param directory of the default file system: then a process of root must allow native access
     *     ({@code --enable-native-access=ALL-UNNAMED} on the class path); or of another one
     */
    public EmbeddedServer(Path directory) throws Exception {
        var exports = List.of(new Export("/data", directory, false));
        server = new NfsServer(exports, new byte[16]); // the key of file handles: secret elsewhere
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        host = NfsHost.of(server).rdma(RpcRdmaServer.builder().address(address)).start();
    }

    /** Returns the URL of the export. Paths of files begin with {@code /data}. */
    public String url() {
        return "rdma://127.0.0.1:" + host.rdmaAddresses().getFirst().getPort() + "/data";
    }

    @Override
    public void close() {
        host.close();
        server.close();
    }

    /** Writes a file by NFS, and finds it in the directory. */
    public static void main(String[] args) throws Exception {
        var directory = Files.createTempDirectory("served");
        try (var server = new EmbeddedServer(directory);
                var files = NfsFiles.connect(server.url())) {
            try (var out = files.newOutputStream("/data/greeting")) {
                out.write("hello\n".getBytes(StandardCharsets.UTF_8));
            }
            System.out.print(Files.readString(directory.resolve("greeting")));
            files.delete("/data/greeting");
        } finally {
            Files.delete(directory);
        }
    }
}
