package io.github.rpcrdma4j.nfs.client.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.copy.TreeCopier;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results;
import io.github.rpcrdma4j.nfs.v2.Timestamp;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a client that speaks version 2 of NFS does all that one of version 3 does, over RDMA.
 * Method: the server knows no other version, and both ends count what travels in chunks.
 */
@Timeout(60)
class Nfs2ClientTest {
    private static final int INLINE = 1024;
    private static final ClientOptions OPTIONS =
            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_2);

    @TempDir private Path local;
    private Path exported;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private NfsMount mount;
    private Nfs3Client client;
    private RpcRdmaClient connection;

    @BeforeEach
    void connect() throws Exception {
        exported = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(exported);
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        server =
                RpcRdmaServer.builder()
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.version2Programs())
                        .inlineThresholds(INLINE, INLINE)
                        .start();
        Connector connector =
                () ->
                        connection =
                                RpcRdmaClient.builder()
                                        .binding(NfsVersion.VERSION_2.binding())
                                        .inlineThresholds(INLINE, INLINE)
                                        .connect(server.address());
        client = new Nfs3Client(connector, connector, OPTIONS, NfsVersion.VERSION_2);
        mount = NfsMount.of(new Nfs3Service(client), "/data");
    }

    @AfterEach
    void close() {
        mount.close();
        server.close();
        nfs.close();
        assertEquals(0, server.leasedMemory());
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private long count(Counter counter) {
        return connection.statistics().value(counter);
    }

    /** RFC 8267, Section 4: the data of READ and WRITE, the text of READLINK and SYMLINK. */
    @Test
    @Tag("8267-4-3")
    void theEligibleItemsTravelInChunks() throws Exception {
        Files.write(exported.resolve("file"), bytes(8192));
        var file = mount.resolve("/data/file");
        long before = count(Counter.WRITE_CHUNK_BYTES);
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(8192);
            client.call(
                    new Nfs3Call.Read(Nfs3Values.handle(file.handle()), 0, 8192),
                    List.of(memory),
                    (_, read) -> {
                        assertTrue(read.endOfFile());
                        // It was placed in the memory of the caller.
                        assertEquals(memory.address(), read.data().address());
                        return null;
                    });
            assertArrayEquals(bytes(8192), memory.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(8192, count(Counter.WRITE_CHUNK_BYTES) - before);

            before = count(Counter.READ_CHUNK_BYTES);
            memory.fill((byte) 'w');
            var write =
                    new Nfs3Call.Write(
                            Nfs3Values.handle(file.handle()), 0, Stability.UNSTABLE, memory);
            var written = client.call(write);
            assertEquals(8192, written.count());
            assertEquals(Stability.FILE_SYNC, written.committed());
            assertEquals(8192, count(Counter.READ_CHUNK_BYTES) - before);
        }
        var text = PathName.of("t".repeat(1021));
        before = count(Counter.READ_CHUNK_BYTES);
        client.call(
                new Nfs3Call.MakeSymbolicLink(
                        Nfs3Values.place(mount.place("/data/link")), SetAttributes.NONE, text));
        assertEquals(1021, count(Counter.READ_CHUNK_BYTES) - before);
        before = count(Counter.WRITE_CHUNK_BYTES);
        assertEquals(text, mount.service().readLink(mount.resolve("/data/link").handle(), "no"));
        assertEquals(1021, count(Counter.WRITE_CHUNK_BYTES) - before);
        assertEquals(0, count(Counter.LONG_CALLS));
        assertEquals(0, count(Counter.CHUNK_ERRORS));
    }

    /** A failed READ leaves its Write chunk empty. */
    @Test
    void aFailureHasNoBulkItem() throws Exception {
        var root = mount.resolve("/data");
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(8192);
            var call = new Nfs3Call.Read(Nfs3Values.handle(root.handle()), 0, 8192);
            var refused =
                    assertThrows(
                            NfsException.class,
                            () -> client.call(call, List.of(memory), (_, _) -> null));
            assertEquals(Status.ISDIR, refused.status());
        }
        assertEquals(
                Status.INVAL,
                assertThrows(
                                NfsException.class,
                                () -> mount.service().readLink(root.handle(), "no"))
                        .status());
    }

    @Test
    void copiesFilesAndTreesThereAndBack() throws Exception {
        var tree = Files.createDirectory(local.resolve("tree"));
        Files.write(tree.resolve("large"), bytes(300_001));
        Files.write(tree.resolve("empty"), new byte[0]);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("large"));
        var inner = Files.createDirectory(tree.resolve("inner"));
        for (int i = 0; i < 500; i++) {
            Files.writeString(inner.resolve("name" + i), "content " + i);
        }
        var copier = new Copier(mount, OPTIONS, CopyListener.NONE);
        new TreeCopier(copier, _ -> true).put(tree, mount.place("/data/tree"), "tree");
        assertArrayEquals(bytes(300_001), Files.readAllBytes(exported.resolve("tree/large")));
        assertEquals("content 7", Files.readString(exported.resolve("tree/inner/name7")));
        assertEquals("large", Files.readSymbolicLink(exported.resolve("tree/link")).toString());
        var back = local.resolve("back");
        new TreeCopier(copier, _ -> true).get(mount.resolve("/data/tree"), "tree", back);
        assertArrayEquals(bytes(300_001), Files.readAllBytes(back.resolve("large")));
        assertEquals("content 499", Files.readString(back.resolve("inner/name499")));
        assertEquals("large", Files.readSymbolicLink(back.resolve("link")).toString());
        assertEquals(0, nfs.statistics().calls(Procedure.LOOKUP));
    }

    @Test
    void listsRenamesAndRemoves() throws Exception {
        for (int i = 0; i < 300; i++) {
            Files.createFile(exported.resolve("name" + i));
        }
        var root = mount.resolve("/data");
        assertEquals(300, mount.list(root.handle(), "/data").size());
        mount.rename(PathName.of("/data/name1"), PathName.of("/data/other"));
        mount.remove(PathName.of("/data/name2"));
        mount.makeDirectory(PathName.of("/data/made"));
        assertEquals(FileType.DIRECTORY, mount.resolve("/data/made").attributes().type());
        mount.removeDirectory(PathName.of("/data/made"));
        assertEquals(299, mount.list(root.handle(), "/data").size());
        assertEquals(8192, mount.limits().readMax());
        client.ping();
        assertEquals("/data", client.exports().getFirst().path().toString());
    }

    /** Goal: what version 2 lacks is refused before anything is sent, in one line. */
    @Test
    void refusesWhatVersion2Lacks() throws Exception {
        var file = client.call(create("file")).handle().orElseThrow();
        var place = Nfs3Values.place(mount.place("/data/file"));
        var calls =
                List.<Nfs3Call<?, ?>>of(
                        new Nfs3Call.Write(
                                file,
                                0xffff_fffeL,
                                Stability.FILE_SYNC,
                                MemorySegment.ofArray(new byte[2])),
                        new Nfs3Call.ChangeAttributes(
                                file, SetAttributes.ofSize(0xffff_ffffL), Optional.empty()),
                        new Nfs3Call.Create(
                                place, new CreateMode.Guarded(SetAttributes.ofMode(0600))),
                        new Nfs3Call.Create(place, new CreateMode.Exclusive(7)),
                        new Nfs3Call.ReadDirectoryPlus(file, 0, 0, 8192, 8192));
        var statuses = new ArrayList<Status>();
        long before = count(Counter.CALLS);
        for (var call : calls) {
            statuses.add(assertThrows(NfsException.class, () -> client.call(call)).status());
        }
        assertEquals(
                List.of(Status.FBIG, Status.FBIG, Status.NOTSUPP, Status.NOTSUPP, Status.NOTSUPP),
                statuses);
        try (var pipeline = client.pipeline()) {
            pipeline.submit(new Nfs3Call.Read(file, 1L << 32, 10), List.of(), (_, _) -> {});
            assertEquals(
                    "READ failed: file too large",
                    assertThrows(NfsException.class, pipeline::poll).getMessage());
        }
        assertEquals(before, count(Counter.CALLS));
    }

    /** Goal: a copy that cannot end does not begin. */
    @Test
    void refusesFilesOfFourGigabytesAtOnce() throws Exception {
        var sparse = local.resolve("sparse");
        try (var file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(0xffff_ffffL);
        }
        var copier = new Copier(mount, OPTIONS, CopyListener.NONE);
        var refused =
                assertThrows(
                        NfsException.class,
                        () -> copier.put(sparse, mount.place("/data/sparse"), "sparse"));
        assertEquals("cannot write sparse: file too large", refused.getMessage());
        assertEquals(0, nfs.statistics().calls(Nfs2Binding.Procedure.CREATE));
    }

    /** A file of the largest size that version 2 can tell may be longer. */
    @Test
    void takesNoLongFileForAShortOne() throws Exception {
        var time = new Timestamp(0, 0);
        var size =
                new FileAttributes(
                        io.github.rpcrdma4j.nfs.v2.FileType.REGULAR,
                        0100644,
                        1,
                        0,
                        0,
                        -1,
                        4096,
                        0,
                        1,
                        1,
                        1,
                        time,
                        time,
                        time);
        var read = new Nfs2Results.ReadData(size, MemorySegment.ofArray(new byte[4]), () -> {});
        var file = Nfs3Values.handle(mount.resolve("/data").handle());
        var call = new Nfs3Call.Read(file, 0, 4);
        var older = new Nfs2Call.Read(FileHandle.of(file.bytes()), 0, 4);
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            older.replyFormat().encode(out, new Nfs2Reply.Ok<>(read));
            out.inlineBulkItems();
            var reply = new Nfs2Form().decode(call, new XdrReader(out.reducedStream()));
            assertEquals(
                    new Nfs3Reply.Failed<>(
                            io.github.rpcrdma4j.nfs.v3.Status.FBIG, Optional.empty()),
                    reply);
        }
    }

    private Nfs3Call.Create create(String name) throws Exception {
        return new Nfs3Call.Create(
                Nfs3Values.place(mount.place("/data/" + name)),
                new CreateMode.Unchecked(SetAttributes.ofMode(0600)));
    }

    /** A client of version 3 learns that the server does not speak it. */
    @Test
    void aServerOfVersion2AloneDoesNotMountOtherwise() {
        Connector connector = () -> RpcRdmaClient.builder().connect(server.address());
        var refused =
                assertThrows(
                        IOException.class,
                        () ->
                                NfsMount.of(
                                                NfsClient.connect(
                                                        connector,
                                                        connector,
                                                        ClientOptions.DEFAULT.withVersion(
                                                                NfsVersion.VERSION_3)),
                                                "/data")
                                        .close());
        assertTrue(refused.getMessage().contains("version 1"), refused::getMessage);
    }
}
