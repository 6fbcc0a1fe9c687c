package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: each client of a host is asked for its delegation, although the server has fewer calls to a
 * host in progress at a time, and nobody asks for the file a second time.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyRecallsTest {
    private static final int AT_A_TIME = 64;
    private static final int CLIENTS = AT_A_TIME + 6;

    private final Set<StateId> recalled = new HashSet<>();
    private final Semaphore arrived = new Semaphore(0);
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private TestDirectory testDirectory;
    private TestServer server;
    private CallbackListener calls;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve("file"), "content");
        Files.writeString(testDirectory.root().resolve("first"), "");
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export.with(Delegations.EXCLUSIVE)));
        calls = new CallbackListener();
        calls.answer(this::answer);
    }

    @AfterEach
    void stop() throws Exception {
        mayAnswer.countDown();
        server.close();
        calls.close();
        testDirectory.close();
    }

    private CallbackResult answer(CallbackArguments operation) {
        synchronized (recalled) {
            recalled.add(((CallbackArguments.Recall) operation).delegation());
        }
        arrived.release();
        try {
            mayAnswer.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK);
    }

    private void delegate(String name) throws Exception {
        var client = LeasedClient.of(server, name, calls.address());
        client.last(at("first", client.closing(client.open("first", Open.READ, 0))));
        var open = (StateResult.Open) client.last(at("", client.opening("file", Open.READ, 0)));
        assertInstanceOf(OpenDelegation.Read.class, open.delegation(), name);
    }

    @Test
    void allClientsOfAHostAreCalled() throws Exception {
        for (int i = 0; i < CLIENTS; i++) {
            delegate("client" + i);
        }
        var other = LeasedClient.of(server, "other");
        assertEquals(Nfs4Status.DELAY, other.status(at("file", write(StateId.ANONYMOUS, 0, "x"))));
        arrived.acquire(AT_A_TIME);
        mayAnswer.countDown();
        assertTrue(arrived.tryAcquire(CLIENTS - AT_A_TIME, 60, TimeUnit.SECONDS), "not called");
        synchronized (recalled) {
            assertEquals(CLIENTS, recalled.size());
        }
    }
}
