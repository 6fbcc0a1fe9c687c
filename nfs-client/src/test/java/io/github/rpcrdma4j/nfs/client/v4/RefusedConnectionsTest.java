package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a server that binds one connection to a session gets the calls over that one. Method: a
 * server that the test operates by hand.
 */
@Timeout(120)
class RefusedConnectionsTest {
    private static final FileHandle FILE = new FileHandle(new byte[] {1});

    @Test
    void aServerThatBindsNoMoreConnectionsIsNotAskedAgain() throws Exception {
        try (var server = new ServerByHand()) {
            server.hand(Opcode.BIND_CONN_TO_SESSION);
            try (var service = server.connect(NfsVersion.VERSION_4_2, 4096, 3)) {
                server.next(Opcode.BIND_CONN_TO_SESSION)
                        .reply(
                                Nfs4Status.NOSPC,
                                List.of(
                                        Result.failed(
                                                Opcode.BIND_CONN_TO_SESSION, Nfs4Status.NOSPC)));
                for (int i = 0; i < 10; i++) {
                    var asking =
                            server.calling(
                                    () ->
                                            assertThrows(
                                                    NfsException.class,
                                                    () -> service.attributes(FILE, "no")));
                    server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR)
                            .fail(Nfs4Status.ACCESS);
                    asking.get(20, TimeUnit.SECONDS);
                }
                assertEquals(1, server.received(SessionArguments.BindConnToSession.class).size());
                server.handNoMore();
            }
        }
    }
}
