package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Sends every shape of chunks to a server of NFS and checks its answers. Prints a line {@code PASS
 * name} or {@code FAIL name: reason} for each.
 */
public final class Shapes {
    private static final Duration MOUNT_TIMEOUT = Duration.ofSeconds(20);
    private static final int MOUNT_RESULTS_MAX = 1024;

    private final RdmaProvider provider;
    private final InetSocketAddress server;
    private final Peer peer;
    private final PrintStream out;

    Shapes(RdmaProvider provider, InetSocketAddress server, Peer peer, PrintStream out) {
        this.provider = provider;
        this.server = server;
        this.peer = peer;
        this.out = out;
    }

    /**
     * Tries all shapes on a Linux server over soft-iWARP. Exits with 1 if a shape got a wrong
     * answer, or with 2 if it could not try all shapes.
     *
     * @param arguments {@code HOST:PORT} of NFS over RDMA; the port of MOUNT over TCP on the same
     *     host; the path of an export that root of any host may write to
     */
    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(new IwarpProvider(), System.out, arguments));
    }

    /**
     * Tries all shapes on a Linux server.
     *
     * @return the exit status: 0, 1 if a shape got a wrong answer, 2 if the run could not try all
     *     shapes
     */
    public static int run(RdmaProvider provider, PrintStream out, String... arguments)
            throws InterruptedException {
        int colon = arguments.length == 3 ? arguments[0].lastIndexOf(':') : -1;
        if (colon < 0) {
            out.println("usage: Shapes HOST:PORT MOUNT-PORT EXPORT");
            return 2;
        }
        try {
            var host = arguments[0].substring(0, colon);
            var server =
                    new InetSocketAddress(
                            host, Integer.parseInt(arguments[0].substring(colon + 1)));
            var mount = new InetSocketAddress(host, Integer.parseInt(arguments[1]));
            var root = mount(mount, arguments[2]);
            var shapes = Stream.of(Shape.all(), Shape.ofVersion4()).flatMap(List::stream).toList();
            int failed = new Shapes(provider, server, Peer.LINUX, out).run(root, shapes);
            return failed == 0 ? 0 : 1;
        } catch (IOException | Mismatch | IllegalArgumentException impossible) {
            out.println("FAIL cannot test all shapes: " + impossible.getMessage());
            return 2;
        }
    }

    /** Mounts an export and returns the file handle of its root. */
    static FileHandle mount(InetSocketAddress server, String export)
            throws IOException, InterruptedException {
        var root = new Credential.Sys(0, "shapes", 0, 0, List.of());
        var call =
                new RpcCall(
                        Mount3.PROGRAM,
                        Mount3.VERSION,
                        Mount3.Procedure.MNT.number(),
                        PathName.of(export)::encode,
                        MOUNT_RESULTS_MAX);
        try (var client = TcpRpcClient.connect(server, root, MOUNT_TIMEOUT);
                var reply = client.call(call, MOUNT_TIMEOUT)) {
            return switch (Mount3.MountResult.decode(reply.results())) {
                case Mount3.MountResult.Ok(var handle, _) -> new FileHandle(handle);
                case Mount3.MountResult.Failed(var status) ->
                        throw new IOException(
                                "cannot mount " + export + ": " + status.description());
            };
        } catch (XdrException malformed) {
            throw new IOException(
                    "the results of MNT are malformed: " + malformed.getMessage(), malformed);
        }
    }

    /**
     * Tries some shapes.
     *
     * @return how many shapes got a wrong answer
     */
    int run(FileHandle root, List<Shape> shapes)
            throws Mismatch, RdmaException, InterruptedException {
        int failed = 0;
        try (var plain = new Caller(RawConnection.open(provider, server, true), peer)) {
            for (var shape : shapes) {
                failed += attempt(shape, plain, root) ? 0 : 1;
            }
        }
        out.printf(
                "%d of %d shapes got the required answer%n", shapes.size() - failed, shapes.size());
        return failed;
    }

    private boolean attempt(Shape shape, Caller plain, FileHandle root)
            throws Mismatch, InterruptedException {
        var directory =
                Directory.make(plain, root, "shape-" + shape.name() + "-" + System.nanoTime());
        try (var caller =
                new Caller(RawConnection.open(provider, server, shape.takesInvalidation()), peer)) {
            shape.attempt().run(caller, directory);
            out.println("PASS " + shape.name());
            return true;
        } catch (Mismatch | RdmaException wrong) {
            out.printf(
                    "FAIL %s: %s (sent: %s; expected: %s)%n",
                    shape.name(), wrong.getMessage(), shape.sent(), shape.expected());
            return false;
        } finally {
            directory.remove();
        }
    }
}
