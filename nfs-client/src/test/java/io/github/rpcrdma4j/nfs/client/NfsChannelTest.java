package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: calls keep to the server's limits; a wrong reply is a failure that names the file. */
class NfsChannelTest {
    private static final FileHandle FILE = new FileHandle(new byte[] {2});
    private static final io.github.rpcrdma4j.nfs.v3.FileHandle ON_WIRE =
            new io.github.rpcrdma4j.nfs.v3.FileHandle(FILE.bytes());
    private static final MemorySegment MEMORY = Arena.ofAuto().allocate(8);

    private static Nfs3Reply<?, ?> reply(Nfs3Call<?, ?> call, int bytes) {
        return switch (call) {
            case Nfs3Call.GetAttributes _ ->
                    new Nfs3Reply.Ok<>(
                            Nothing.NOTHING, ScriptedServer.attributes(FileType.DIRECTORY));
            case Nfs3Call.FsInfo _ ->
                    ok(
                            new Nfs3Results.FileSystemInfo(
                                    0, 0, 0, 0, 0, 0, 0, 0, new Timestamp(0, 1), 0));
            case Nfs3Call.Read _ ->
                    ok(new Nfs3Results.ReadData(MEMORY.asSlice(0, bytes), false, () -> {}));
            default -> throw new AssertionError("unexpected: " + call);
        };
    }

    private static Nfs3Reply<?, ?> withLimit(Nfs3Call<?, ?> call, int limit) {
        return call instanceof Nfs3Call.FsInfo
                ? ok(
                        new Nfs3Results.FileSystemInfo(
                                limit, 0, 0, limit, 0, 0, 0, 0, new Timestamp(0, 1), 0))
                : reply(call, 0);
    }

    /** Goal: no operation takes a size that Java has no number for as a small one. */
    @Test
    void refusesAnImpossibleSize() throws Exception {
        for (long size : new long[] {-1, Long.MIN_VALUE}) {
            try (var mount = ScriptedServer.mount(call -> ofSize(call, size));
                    var channel = new NfsChannel(mount, FILE, "/data/file", false, true, true)) {
                var attempts =
                        List.<Executable>of(
                                channel::size,
                                () -> channel.truncate(5),
                                () -> channel.write(ByteBuffer.allocate(10)));
                for (var attempt : attempts) {
                    var failure = assertThrows(IOException.class, attempt);
                    assertEquals(
                            "cannot stat /data/file: the server reports an impossible size: "
                                    + Long.toUnsignedString(size),
                            failure.getMessage());
                }
                assertEquals(0, channel.position());
            }
        }
    }

    @Test
    void refusesToWriteBeyondTheLastOffset() throws Exception {
        try (var mount = ScriptedServer.mount(call -> reply(call, 0));
                var channel = new NfsChannel(mount, FILE, "/data/file", false, true, false)) {
            channel.position(Long.MAX_VALUE - 9);
            var failure =
                    assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(10)));
            assertEquals(
                    "cannot write /data/file: the file would be longer than a file can be",
                    failure.getMessage());
        }
    }

    private static Nfs3Reply<?, ?> ofSize(Nfs3Call<?, ?> call, long size) {
        if (!call.equals(new Nfs3Call.GetAttributes(ON_WIRE))) {
            return reply(call, 0);
        }
        var time = new Timestamp(0, 0);
        return new Nfs3Reply.Ok<>(
                Nothing.NOTHING,
                new FileAttributes(
                        FileType.REGULAR, 0644, 1, 0, 0, size, 0, 0, 1, 1, time, time, time));
    }

    private static Nfs3Reply<?, ?> ok(Object value) {
        return new Nfs3Reply.Ok<>(Optional.<FileAttributes>empty(), value);
    }

    @ParameterizedTest
    @CsvSource({"0,1048576", "1,512", "1024,1024", "65536,65536", "2097152,1048576", "-1,1048576"})
    void aChannelKeepsToTheLimits(int named, int used) throws Exception {
        try (var mount = ScriptedServer.mount(call -> withLimit(call, named));
                var channel = new NfsChannel(mount, FILE, "/data/file", true, false, false)) {
            assertEquals(used, channel.transferBytes());
        }
    }

    @Test
    void refusesMoreBytesThanItAskedForAndNoneBeforeTheEnd() throws Exception {
        for (var buffer : List.of(ByteBuffer.allocate(4), ByteBuffer.allocateDirect(4))) {
            for (int bytes : new int[] {0, 5}) {
                var fault = bytes == 0 ? "sent nothing before the end" : "sent too much";
                try (var mount = ScriptedServer.mount(call -> reply(call, bytes));
                        var channel =
                                new NfsChannel(mount, FILE, "/data/file", true, false, false)) {
                    var failure = assertThrows(IOException.class, () -> channel.read(buffer));
                    assertEquals(
                            "cannot read /data/file: the server " + fault, failure.getMessage());
                }
            }
        }
    }
}
