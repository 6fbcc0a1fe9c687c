package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: no file is delegated while a call by its name changes it. Method: a store that stops before
 * the change; no file was delegated before.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChangesDuringGrantsTest {
    private final HangingStores stores =
            new HangingStores(TestServer.EXPORT, Set.of("Node.create", "Node.remove"));
    private TestDirectory testDirectory;
    private TestServer server;
    private CallbackPeer calls;
    private CompoundClient client;
    private DirOpArgs file;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        for (var name : List.of("file", "other")) {
            Files.writeString(testDirectory.root().resolve(name), "content");
        }
        var export =
                new Export(TestServer.EXPORT, testDirectory.root(), false)
                        .with(Delegations.EXCLUSIVE);
        server = TestServer.of(List.of(export), stores, Nfs4Options.DEFAULT);
        calls = new CallbackPeer();
        server.connect(calls);
        client = CompoundClient.of(server, "client");
        file = new DirOpArgs(server.root(), "file");
        stores.hang();
    }

    @AfterEach
    void stop() throws Exception {
        stores.goOn();
        server.close();
        testDirectory.close();
    }

    private OpenDelegation opened(String name) throws Exception {
        var open = client.last(at("", open(name, Open.READ, 0)));
        return assertInstanceOf(StateResult.Open.class, open).delegation();
    }

    private Nfs3Call<?, ?> cutting() {
        return new Nfs3Call.Create(
                file, new Nfs3Call.CreateMode.Unchecked(SetAttributes.ofSize(0)));
    }

    /** Returns the status of a call that has stopped in the store. */
    private CompletableFuture<Status> stopped(Nfs3Call<?, ?> call) throws Exception {
        var status =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return server.status(call);
                            } catch (Exception failed) {
                                throw new AssertionError(failed);
                            }
                        });
        stores.awaitBlocked();
        return status;
    }

    private void isNotDelegatedDuring(Nfs3Call<?, ?> change) throws Exception {
        var status = stopped(change);
        assertEquals(new OpenDelegation.None(), opened("file"));
        assertInstanceOf(OpenDelegation.Read.class, opened("other"), "one that is not changed");
        stores.goOn();
        assertEquals(Status.OK, status.get());
    }

    @Test
    void aFileThatIsBeingCutIsNotDelegated() throws Exception {
        isNotDelegatedDuring(cutting());
    }

    @Test
    void aFileThatIsBeingRemovedIsNotDelegated() throws Exception {
        isNotDelegatedDuring(new Nfs3Call.Remove(file));
    }

    @Test
    void aFileThatGetsTheNameMeanwhileIsRecalled() throws Exception {
        var status = stopped(cutting());
        var root = testDirectory.root();
        Files.move(
                root.resolve("other"), root.resolve("file"), StandardCopyOption.REPLACE_EXISTING);
        var granted = assertInstanceOf(OpenDelegation.Read.class, opened("file"));
        stores.goOn();
        assertEquals(Status.OK, status.get());
        var call = calls.received.poll(30, TimeUnit.SECONDS);
        assertNotNull(call, "no call came");
        var recall = assertInstanceOf(CallbackArguments.Recall.class, call.callbacks().getLast());
        assertEquals(granted.stateId(), recall.delegation());
        assertEquals(0, Files.size(root.resolve("file")));
    }
}
