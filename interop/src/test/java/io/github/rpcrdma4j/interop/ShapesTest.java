package io.github.rpcrdma4j.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: our own server answers every shape as required. Method: the program that tests Linux, over
 * sockets.
 */
class ShapesTest {
    private static final byte[] KEY = new byte[32];

    @TempDir private static Path exported;

    private static NfsServer nfs;
    private static TcpRpcServer mount;
    private static RpcRdmaServer server;
    private static FileHandle root;

    @BeforeAll
    static void serve() throws Exception {
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        nfs = new NfsServer(List.of(new Export("/shapes", exported, false)), KEY);
        mount = TcpRpcServer.listen(loopback, nfs.programs(), TcpRpcOptions.DEFAULT);
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(loopback)
                        .programs(nfs.programs())
                        .start();
        root = Shapes.mount(mount.address(), "/shapes");
    }

    @AfterAll
    static void stop() {
        server.close();
        mount.close();
        nfs.close();
    }

    static List<Shape> shapes() {
        return Shape.all();
    }

    private static int run(Peer peer, List<Shape> shapes, ByteArrayOutputStream out)
            throws Exception {
        try (var lines = new PrintStream(out)) {
            return new Shapes(new IwarpProvider(), server.address(), peer, lines).run(root, shapes);
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void answersEveryShape(Shape shape) throws Exception {
        var out = new ByteArrayOutputStream();
        int failed = run(Peer.OURS, List.of(shape), out);
        assertEquals(0, failed, out.toString());
        assertTrue(out.toString().startsWith("PASS " + shape.name()), out.toString());
    }

    @Test
    void namesEveryShapeOnce() {
        var names = new HashSet<String>();
        for (var tables : List.of(shapes(), Shape.ofVersion4())) {
            for (var shape : tables) {
                assertTrue(names.add(shape.name()), shape.name());
            }
        }
    }

    @Test
    void leavesNothingOnTheServer() throws Exception {
        run(Peer.OURS, List.of(shapes().getFirst()), new ByteArrayOutputStream());
        assertEquals(0, server.openWindows());
        try (var left = Files.list(exported)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void printsWhichShapeFailedAndWhy() throws Exception {
        // Our server leaves an unneeded Reply chunk unused; Linux uses it.
        var shape =
                shapes().stream().filter(each -> each.name().equals("null-reply-chunk")).toList();
        var out = new ByteArrayOutputStream();
        int failed = run(Peer.LINUX, shape, out);
        assertEquals(1, failed);
        var line = out.toString().lines().findFirst().orElseThrow();
        assertTrue(
                line.startsWith("FAIL null-reply-chunk: the answer should be RDMA_NOMSG and is "),
                line);
        assertTrue(line.contains("(sent: NULL, a Reply chunk of one segment; expected: "), line);
    }

    @Test
    void printsItsUsageAndTheReasonIfItCannotTestAllShapes() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var lines = new PrintStream(out)) {
            assertEquals(2, Shapes.run(new IwarpProvider(), lines, "127.0.0.1:1"));
            var port = Integer.toString(mount.address().getPort());
            var nowhere = new String[] {"127.0.0.1:" + port, port, "/nowhere"};
            assertEquals(2, Shapes.run(new IwarpProvider(), lines, nowhere));
        }
        assertEquals(
                List.of(
                        "usage: Shapes HOST:PORT MOUNT-PORT EXPORT",
                        "FAIL cannot test all shapes: cannot mount /nowhere: no such export"),
                out.toString().lines().toList());
    }
}
