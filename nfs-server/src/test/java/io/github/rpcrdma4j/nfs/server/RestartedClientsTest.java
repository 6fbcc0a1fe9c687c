package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.reclaimComplete;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the restarts of many clients of one host do not make others wait for storage. Method: a
 * server over RDMA, whose records cannot be removed for a while.
 */
class RestartedClientsTest {
    /** How many changes of records of one host may wait. */
    private static final int CHANGES_OF_HOST = 256;

    @TempDir private Path parent;

    private Path records() {
        return parent.resolve("clients");
    }

    private RdmaServer serve() throws Exception {
        var root = Files.createDirectory(parent.resolve("root"));
        var options =
                new Nfs4Options(
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(1),
                        Optional.of(records()),
                        "20049");
        var export = new Export("/data", root, false);
        return new RdmaServer(
                new NfsServer(List.of(export), new byte[16], KerberosUsers.NONE, options));
    }

    /** Returns what makes a client start anew: its next session. */
    private static SessionArguments.CreateSession restart(CompoundClient sender, String name)
            throws Exception {
        var owner = new ClientOwner(2, Nfs4Calls.name(name));
        var reply =
                sender.send(
                        List.of(
                                new SessionArguments.ExchangeId(
                                        owner, 0, new StateProtection.None(), Optional.empty())));
        var made = (SessionResult.ExchangeId) reply.results().getFirst();
        return new SessionArguments.CreateSession(
                made.clientId(),
                made.sequence(),
                0,
                CompoundClient.CHANNEL,
                CompoundClient.CHANNEL,
                1,
                List.of());
    }

    @Test
    @Timeout(300)
    void aClientThatWouldHaveToWaitLongForItsRestartKeepsWhatItHas() throws Exception {
        try (var server = serve()) {
            var clients = new ArrayList<CompoundClient>();
            for (int i = 0; i <= CHANGES_OF_HOST; i++) {
                clients.add(CompoundClient.of(server, "client" + i));
            }
            var last = clients.getLast();
            var elsewhere = parent.resolve("elsewhere");
            Files.move(records(), elsewhere);
            for (int i = 0; i < CHANGES_OF_HOST; i++) {
                var refused = last.send(List.of(restart(last, "client" + i)));
                assertEquals(Nfs4Status.DELAY, refused.status());
                assertEquals(Nfs4Status.BADSESSION, clients.get(i).status());
            }
            var restart = restart(last, "client" + CHANGES_OF_HOST);
            assertEquals(Nfs4Status.DELAY, last.send(List.of(restart)).status());
            assertEquals(Nfs4Status.OK, last.status(), "its session has ended in vain");
            Files.move(elsewhere, records());
            var status = Nfs4Status.DELAY;
            while (status == Nfs4Status.DELAY) {
                status = last.send(List.of(restart)).status();
            }
            assertEquals(Nfs4Status.OK, status);
            assertEquals(Nfs4Status.BADSESSION, last.status());
            assertEquals(
                    Nfs4Status.OK,
                    CompoundClient.recovering(server, "new").status(reclaimComplete()));
        }
    }
}
