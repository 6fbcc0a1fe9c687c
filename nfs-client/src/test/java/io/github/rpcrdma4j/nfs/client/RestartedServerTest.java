package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.WccData;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: written data is on stable storage even if a server answers WRITE with less than it was
 * asked for. Method: the server answers UNSTABLE, and restarts before some commits.
 */
@Timeout(60)
class RestartedServerTest {
    private static final int TRANSFER = 4096;
    private static final FileHandle FILE = new FileHandle(new byte[] {2});
    private static final io.github.rpcrdma4j.nfs.v3.FileHandle ON_WIRE =
            new io.github.rpcrdma4j.nfs.v3.FileHandle(FILE.bytes());

    private static byte[] bytes() {
        var bytes = new byte[5 * TRANSFER + 17];
        new Random(bytes.length).nextBytes(bytes);
        return bytes;
    }

    /** A server that keeps written data in memory, and loses it when it restarts. */
    private static final class RestartingServer implements ScriptedServer.Replies {
        private final Map<Long, byte[]> unstable = new TreeMap<>();
        private byte[] stable = new byte[0];
        private int restarts;
        private long verifier;

        /**
         * Creates a server.
         *
         * @param restarts the number of commits before which it restarts
         */
        RestartingServer(int restarts) {
            this.restarts = restarts;
        }

        @Override
        public synchronized Nfs3Reply<?, ?> to(Nfs3Call<?, ?> call) {
            return switch (call) {
                case Nfs3Call.GetAttributes _ ->
                        new Nfs3Reply.Ok<>(
                                Nothing.NOTHING, ScriptedServer.attributes(FileType.DIRECTORY));
                case Nfs3Call.FsInfo _ ->
                        new Nfs3Reply.Ok<>(Optional.<FileAttributes>empty(), info());
                case Nfs3Call.Lookup _ ->
                        new Nfs3Reply.Failed<>(Status.NOENT, Optional.<FileAttributes>empty());
                case Nfs3Call.Create _ ->
                        changed(
                                new Nfs3Results.Created(
                                        Optional.of(ON_WIRE),
                                        Optional.of(ScriptedServer.attributes(FileType.REGULAR))));
                case Nfs3Call.ChangeAttributes _ -> changed(Nothing.NOTHING);
                case Nfs3Call.Rename _ ->
                        new Nfs3Reply.Ok<>(
                                new TwoWcc(WccData.UNKNOWN, WccData.UNKNOWN), Nothing.NOTHING);
                case Nfs3Call.Write(_, var offset, var stability, var data) -> {
                    assertEquals(Stability.FILE_SYNC, stability);
                    unstable.put(offset, data.toArray(ValueLayout.JAVA_BYTE));
                    int count = (int) data.byteSize();
                    yield changed(new Nfs3Results.Written(count, Stability.UNSTABLE, verifier));
                }
                case Nfs3Call.Commit _ -> {
                    commit();
                    yield changed(verifier);
                }
                default -> throw new AssertionError("unexpected: " + call);
            };
        }

        private static Nfs3Reply<?, ?> changed(Object value) {
            return new Nfs3Reply.Ok<>(WccData.UNKNOWN, value);
        }

        private static Nfs3Results.FileSystemInfo info() {
            var delta = new Timestamp(0, 1);
            return new Nfs3Results.FileSystemInfo(
                    TRANSFER, TRANSFER, 1, TRANSFER, TRANSFER, 1, TRANSFER, 1L << 40, delta, 0);
        }

        private void commit() {
            if (restarts > 0) {
                restarts--;
                verifier++;
            } else {
                unstable.forEach(this::keep);
            }
            unstable.clear();
        }

        private void keep(long offset, byte[] bytes) {
            int end = (int) offset + bytes.length;
            stable = Arrays.copyOf(stable, Math.max(stable.length, end));
            System.arraycopy(bytes, 0, stable, (int) offset, bytes.length);
        }

        synchronized byte[] stable() {
            return stable.clone();
        }
    }

    private static void write(RestartingServer server, ByteBuffer bytes) throws Exception {
        try (var mount = ScriptedServer.mount(server);
                var channel = new NfsChannel(mount, FILE, "/data/file", false, true, false)) {
            assertEquals(bytes.remaining(), channel.write(bytes));
        }
    }

    @Test
    void commitsAndRepeatsTheWritesOfAChannel() throws Exception {
        for (int restarts : new int[] {0, 1, 3}) {
            var server = new RestartingServer(restarts);
            write(server, ByteBuffer.wrap(bytes()));
            assertArrayEquals(bytes(), server.stable(), restarts + " restarts");
        }
    }

    @Test
    void commitsAndRepeatsTheWritesOfAStream() throws Exception {
        for (int restarts : new int[] {0, 1, 3}) {
            var server = new RestartingServer(restarts);
            var copied = new AtomicLong();
            var listener =
                    new CopyListener() {
                        @Override
                        public void copied(long bytes) {
                            copied.addAndGet(bytes);
                        }

                        @Override
                        public void lost(long bytes) {
                            copied.addAndGet(-bytes);
                        }
                    };
            try (var mount = ScriptedServer.mount(server)) {
                var target = new RemotePlace(ScriptedServer.MOUNTED, FileName.of("file"));
                new Copier(mount, ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3), listener)
                        .put(
                                Channels.newChannel(new ByteArrayInputStream(bytes())),
                                target,
                                "/data/file");
            }
            assertArrayEquals(bytes(), server.stable(), restarts + " restarts");
            assertEquals(bytes().length, copied.get());
        }
    }

    /** Goal: the verifier of the last WRITE does not vouch for the bytes of the WRITE before. */
    @Test
    void failsIfTheServerRestartsAfterEachByte() throws Exception {
        var verifier = new AtomicLong();
        var server = new RestartingServer(0);
        ScriptedServer.Replies oneByteEach =
                call ->
                        switch (call) {
                            case Nfs3Call.Write _ ->
                                    RestartingServer.changed(
                                            new Nfs3Results.Written(
                                                    1,
                                                    Stability.UNSTABLE,
                                                    verifier.incrementAndGet()));
                            case Nfs3Call.Commit _ -> RestartingServer.changed(verifier.get());
                            default -> server.to(call);
                        };
        try (var mount = ScriptedServer.mount(oneByteEach);
                var channel = new NfsChannel(mount, FILE, "/data/file", false, true, false)) {
            var failure =
                    assertThrows(
                            IOException.class, () -> channel.write(ByteBuffer.wrap(new byte[2])));
            assertEquals(
                    "cannot write /data/file: the server lost the data 16 times",
                    failure.getMessage());
        }
        assertEquals(2 * StableWrite.ROUNDS_MAX, verifier.get());
    }

    @Test
    void failsIfTheServerLosesTheDataEachTime() {
        var server = new RestartingServer(Integer.MAX_VALUE);
        var failure =
                assertThrows(
                        IOException.class, () -> write(server, ByteBuffer.wrap(new byte[] {1})));
        assertEquals(
                "cannot write /data/file: the server lost the data 16 times", failure.getMessage());
    }
}
