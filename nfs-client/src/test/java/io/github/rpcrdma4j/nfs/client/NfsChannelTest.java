package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: calls keep to the server's limits; a wrong reply to READ is a failure with the file. */
class NfsChannelTest {
    private static final FileHandle FILE = new FileHandle(new byte[] {2});
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

    private static Nfs3Reply<?, ?> ok(Object value) {
        return new Nfs3Reply.Ok<>(Optional.<FileAttributes>empty(), value);
    }

    @ParameterizedTest
    @CsvSource({"0,1048576", "1,512", "1024,1024", "65536,65536", "2097152,1048576", "-1,1048576"})
    void aChannelAndACopyKeepToTheSameLimits(int named, int used) throws Exception {
        try (var mount = ScriptedServer.mount(call -> withLimit(call, named));
                var channel = new NfsChannel(mount, FILE, "/data/file", true, false, false)) {
            assertEquals(used, channel.transferBytes());
            var copier = new Copier(mount, ClientOptions.DEFAULT, CopyListener.NONE);
            assertEquals(used, copier.readMax());
            assertEquals(used, copier.writeMax());
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
