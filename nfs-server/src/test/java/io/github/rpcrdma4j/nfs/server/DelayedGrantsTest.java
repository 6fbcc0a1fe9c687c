package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.claim;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.encoded;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a client that is told DELAY, because the record of another one cannot be removed, gets what
 * it asks for when it asks again, and nothing before.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DelayedGrantsTest {
    @TempDir private Path parent;
    private TestDirectory files;
    private TestServer server;
    private CompoundClient client;
    private CompoundClient other;
    private CompoundClient gone;
    private Path record;

    @BeforeEach
    void start() throws Exception {
        files = TestDirectory.of(TestDirectory.Kind.LOCAL);
        var options =
                new Nfs4Options(
                        Duration.ofSeconds(90),
                        Duration.ofSeconds(90),
                        Optional.of(parent.resolve("clients")),
                        "20049");
        server = TestServer.of(files, options);
        server.create(server.root(), "file");
        server.create(server.root(), "else");
        gone = CompoundClient.of(server, "gone");
        try (var all = Files.list(parent.resolve("clients"))) {
            record =
                    all.filter(each -> each.getFileName().toString().startsWith("client-"))
                            .findFirst()
                            .orElseThrow();
        }
        client = CompoundClient.of(server, "client");
        other = CompoundClient.of(server, "other");
        gone.open(at("", open("else", 3, 0)));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        files.close();
    }

    /** Takes the state of a client whose record cannot be removed. */
    private void block() throws Exception {
        Files.delete(record);
        Files.createDirectory(record);
        Files.createFile(record.resolve("x"));
        var administration = server.nfs.administration();
        assertThrows(IOException.class, () -> administration.end(gone.clientId()));
    }

    private void unblock() throws Exception {
        Files.delete(record.resolve("x"));
        Files.delete(record);
    }

    /** Repeats a call as long as it is delayed. */
    private Nfs4Status repeat(CompoundClient of, Arguments... call) throws Exception {
        return Eventually.value(
                () -> Optional.of(of.status(call)).filter(each -> each != Nfs4Status.DELAY));
    }

    @Test
    void aLockIsRepeatedWithTheStateIdThatTheClientHas() throws Exception {
        var opened = client.open(at("", open("file", 3, 0)));
        var first = client.last(at("file", lock(opened, "owner", LockType.WRITE, 0, 10)));
        var next = at("file", lock(((LockResult.Lock) first).lock(), LockType.WRITE, 20, 10));
        block();
        assertEquals(Nfs4Status.DELAY, client.status(next));
        assertEquals(Nfs4Status.DELAY, client.status(next));
        unblock();
        assertEquals(Nfs4Status.OK, repeat(client, next));
    }

    @Test
    void anOpenDeniesNothing() throws Exception {
        block();
        assertEquals(Nfs4Status.DELAY, client.status(at("", open("file", 3, 3))));
        unblock();
        assertEquals(Nfs4Status.OK, repeat(other, at("", open("file", 3, 0))));
    }

    @Test
    void anOpenThatIsWidenedKeepsItsStateId() throws Exception {
        var opened = client.open(at("", open("file", 1, 0)));
        block();
        assertEquals(Nfs4Status.DELAY, client.status(at("", open("file", 2, 0))));
        assertEquals(
                Nfs4Status.OPENMODE,
                client.status(at("file", lock(opened, "owner", LockType.WRITE, 0, 10))));
    }

    @Test
    void noFileIsMade() throws Exception {
        var attributes = encoded(SetAttributes.ofMode(0644));
        var making =
                at("", open("owner", 3, 0, new OpenCreation.Guarded(attributes), claim("new")));
        block();
        assertEquals(Nfs4Status.DELAY, client.status(making));
        unblock();
        assertEquals(Nfs4Status.OK, repeat(client, making));
    }
}
