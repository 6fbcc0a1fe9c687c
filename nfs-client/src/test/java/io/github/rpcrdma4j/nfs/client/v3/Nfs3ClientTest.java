package io.github.rpcrdma4j.nfs.client.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.ScriptedServer;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Goal: no method returns views of memory that is already released. */
class Nfs3ClientTest {
    @Test
    void refusesACallWithBulkResultsButWithoutMemoryForThem() throws Exception {
        ScriptedServer.Replies none =
                call -> {
                    throw new AssertionError("unexpected: " + call);
                };
        try (var client =
                ScriptedServer.client(
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3), none)) {
            for (var call :
                    List.<Nfs3Call<?, ?>>of(
                            new Nfs3Call.Read(ScriptedServer.ROOT, 0, 8),
                            new Nfs3Call.ReadLink(ScriptedServer.ROOT))) {
                var refused = assertThrows(IllegalArgumentException.class, () -> client.call(call));
                assertEquals(
                        call.replyFormat().procedure()
                                + " has bulk results, which this method cannot return",
                        refused.getMessage());
            }
        }
    }

    @Test
    void aPipelineMakesNullCallsAndReportsWhatTheirRepliesCause() throws Exception {
        ScriptedServer.Replies none =
                call -> {
                    throw new AssertionError("unexpected: " + call);
                };
        try (var client =
                        ScriptedServer.client(
                                ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3), none);
                var pipeline = client.pipeline()) {
            var replies = new AtomicInteger();
            for (int i = 0; i < 3; i++) {
                pipeline.ping(() -> pipeline.ping(replies::incrementAndGet));
            }
            pollAll(pipeline);
            assertEquals(3, replies.get());
            var cause = new IOException("full");
            pipeline.ping(
                    () -> {
                        throw cause;
                    });
            assertEquals(cause, assertThrows(IOException.class, () -> pollAll(pipeline)));
        }
    }

    private static void pollAll(Nfs3Pipeline pipeline) throws Exception {
        while (pipeline.poll()) {
            // Wait until all calls have ended.
        }
    }
}
