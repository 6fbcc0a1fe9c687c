package io.github.rpcrdma4j.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsFiles;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.host.NfsHost;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: the mistakes of a store give nobody the bytes of others, and keep no memory. */
@Timeout(120)
class CarelessStoreTest {
    private static final int BYTES = 1 << 20;
    private static final Time NOW = Time.now();

    private static final int READS = 100;

    /** A store of three files, each of one byte for its number: 0 is the root. */
    private static final class Store implements FileStore {
        @Override
        public FileId root() {
            return id(0);
        }

        @Override
        public Node node(FileId id, Mounts mounts, Origin origin) {
            return new Careless(id.bytes()[0]);
        }
    }

    private static FileId id(int number) {
        return new FileId(new byte[] {(byte) number});
    }

    private static FileStatus status(int number) {
        var type = number == 0 ? FileType.DIRECTORY : FileType.REGULAR;
        return new FileStatus(
                type,
                0755,
                1,
                0,
                0,
                BYTES,
                BYTES,
                0,
                0,
                1,
                number + 1,
                number + 1,
                NOW,
                NOW,
                NOW,
                Optional.empty());
    }

    private record Careless(int number) implements Node {
        @Override
        public FileId id() {
            return CarelessStoreTest.id(number);
        }

        @Override
        public FileStatus status() {
            return CarelessStoreTest.status(number);
        }

        @Override
        public Found lookup(Caller caller, FileName name) throws StoreException {
            int found = List.of("full", "empty", "broken").indexOf(name.toString()) + 1;
            Failure.NOENT.unless(found > 0);
            return new Found(
                    CarelessStoreTest.id(found), CarelessStoreTest.status(found), status());
        }

        @Override
        public FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink) {
            sink.end();
            return status();
        }

        /** The second file tells bytes that it has not read, and the third one fails. */
        @Override
        public ReadBytes read(Caller caller, long offset, MemorySegment target) {
            if (number == 1) {
                target.fill((byte) 'x');
            }
            if (number > 2) {
                throw new AssertionError("a mistake of the store");
            }
            int bytes = (int) Math.clamp(BYTES - offset, 0, target.byteSize());
            return ReadBytes.of(bytes, target.byteSize(), offset, BYTES, Optional.of(status()));
        }
    }

    private NfsServer server;
    private NfsHost host;
    private NfsFiles files;

    @BeforeEach
    void serve() throws Exception {
        var export = new Export("/careless", (_, _) -> new Store(), true);
        server = new NfsServer(List.of(export), new byte[16]);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        host = NfsHost.of(server).rdma(RpcRdmaServer.builder().address(address)).start();
        var port = host.rdmaAddresses().getFirst().getPort();
        files = NfsFiles.connect("rdma://127.0.0.1:" + port + "/careless");
    }

    @AfterEach
    void stop() {
        files.close();
        host.close();
        server.close();
    }

    private byte[] read(String name) throws IOException, InterruptedException {
        try (var in = files.newInputStream("/careless/" + name)) {
            return in.readAllBytes();
        }
    }

    @Test
    void bytesThatItHasNotReadAreThoseOfNobody() throws Exception {
        for (int i = 0; i < 10; i++) {
            byte[] full = new byte[BYTES];
            Arrays.fill(full, (byte) 'x');
            assertArrayEquals(full, read("full"));
            assertArrayEquals(new byte[BYTES], read("empty"));
        }
    }

    @Test
    void readsThatFailByAnErrorKeepNoMemory() throws Exception {
        assertThrows(IOException.class, () -> read("broken"));
        long before = MemoryBudget.process().used();
        for (int i = 0; i < READS; i++) {
            assertThrows(IOException.class, () -> read("broken"));
        }
        long kept = MemoryBudget.process().used() - before;
        assertTrue(kept < READS * (long) BYTES / 2, () -> "keeps " + kept + " bytes");
    }
}
