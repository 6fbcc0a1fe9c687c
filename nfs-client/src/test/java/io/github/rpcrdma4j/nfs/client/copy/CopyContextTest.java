package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.ScriptedServer;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: copies keep to the server's limits, as far as these are sensible. */
class CopyContextTest {
    private static Nfs3Reply<?, ?> reply(Nfs3Call<?, ?> call, int limit) {
        return switch (call) {
            case Nfs3Call.GetAttributes _ ->
                    new Nfs3Reply.Ok<>(
                            Nothing.NOTHING, ScriptedServer.attributes(FileType.DIRECTORY));
            case Nfs3Call.FsInfo _ ->
                    new Nfs3Reply.Ok<>(
                            Optional.<FileAttributes>empty(),
                            new Nfs3Results.FileSystemInfo(
                                    limit, 0, 0, limit, 0, 0, 0, 0, new Timestamp(0, 1), 0));
            default -> throw new AssertionError("unexpected: " + call);
        };
    }

    @ParameterizedTest
    @CsvSource({"0,1048576", "1,512", "1024,1024", "65536,65536", "2097152,1048576", "-1,1048576"})
    void aCopyKeepsToTheLimits(int named, int used) throws Exception {
        try (var mount = ScriptedServer.mount(call -> reply(call, named))) {
            var copier =
                    new Copier(
                            mount,
                            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                            CopyListener.NONE);
            assertEquals(used, copier.context().readMax());
            assertEquals(used, copier.context().writeMax());
        }
    }
}
