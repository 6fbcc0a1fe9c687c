package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.reclaimComplete;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.rename;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: after a restart nobody uses a file past a delegation that its client has yet to reclaim.
 * Method: servers over RDMA in turn.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DelegationsInGraceTest {
    private static final String HELD = "held";
    private static final String OTHER = "other";
    private static final int WRITE_DELEGATION = 2;

    @TempDir private Path parent;

    private RdmaServer serve(Delegations delegations) throws Exception {
        var root = Files.createDirectories(parent.resolve("root"));
        for (var name : List.of(HELD, OTHER)) {
            Files.writeString(root.resolve(name), "text");
        }
        var options =
                new Nfs4Options(
                        Duration.ofMinutes(5),
                        Duration.ofHours(1),
                        Optional.of(parent.resolve("clients")),
                        "20049");
        var export = new Export(TestServer.EXPORT, root, false).with(delegations);
        return new RdmaServer(
                new NfsServer(List.of(export), new byte[16], KerberosUsers.NONE, options));
    }

    private static CompoundClient holder(RdmaServer server) throws Exception {
        var called = server.called(CompoundClient.ROOT, new CallbackService());
        return CompoundClient.recovering(called, "holder");
    }

    /** Serves a client that gets a delegation. Returns the handle of the file. */
    private FileHandle delegated(Delegations delegations) throws Exception {
        try (var server = serve(delegations)) {
            var client = holder(server);
            client.last(reclaimComplete());
            var opened = (StateResult.Open) client.last(at("", open(HELD, Open.BOTH, 0)));
            if (delegations != Delegations.NONE) {
                assertInstanceOf(OpenDelegation.Write.class, opened.delegation());
            }
            return handle(client, HELD);
        }
    }

    /** Returns the handle of a file, which is that of all versions. */
    private static FileHandle handle(CompoundClient client, String name) throws Exception {
        var found = ((HandleResult.GetFh) client.last(at(name, getFh()))).handle();
        return new FileHandle(found.bytes());
    }

    private static Status status(RdmaServer server, Nfs3Call<?, ?> call) throws Exception {
        var results =
                server.results(
                        Nfs3.PROGRAM,
                        Nfs3.VERSION,
                        call.procedure().number(),
                        CompoundClient.ROOT,
                        call::encode);
        return switch (call.replyFormat().decode(results)) {
            case Nfs3Reply.Ok<?, ?> _ -> Status.OK;
            case Nfs3Reply.Failed<?, ?>(var status, _) -> status;
        };
    }

    private static List<Nfs3Call<?, ?>> uses(FileHandle root, FileHandle file) {
        var where = new DirOpArgs(root, HELD);
        var cut = io.github.rpcrdma4j.nfs.v3.SetAttributes.ofSize(0);
        return List.of(
                new Nfs3Call.Read(file, 0, 4),
                TestServer.write(file, 0, Stability.FILE_SYNC, "x"),
                new Nfs3Call.ChangeAttributes(file, cut, Optional.empty()),
                new Nfs3Call.Create(where, new CreateMode.Unchecked(cut)),
                new Nfs3Call.Link(file, new DirOpArgs(root, "second")),
                new Nfs3Call.Rename(new DirOpArgs(root, OTHER), where),
                new Nfs3Call.Rename(where, new DirOpArgs(root, "elsewhere")),
                new Nfs3Call.Remove(where));
    }

    private static Arguments[] linking() {
        var link = new NameArguments.Link(FileName.of("third"));
        var all = at(HELD, saveFh());
        var to = at("", link);
        var joined = Arrays.copyOf(all, all.length + to.length);
        System.arraycopy(to, 0, joined, all.length, to.length);
        return joined;
    }

    /** Goal: all that would recall the delegation waits until its client could reclaim it. */
    @Test
    void othersWaitUntilTheClientHasReclaimedIt() throws Exception {
        var file = delegated(Delegations.EXCLUSIVE);
        try (var server = serve(Delegations.EXCLUSIVE)) {
            var other = CompoundClient.recovering(server, "other");
            other.last(reclaimComplete());
            var root = handle(other, "");
            for (var call : uses(root, file)) {
                assertEquals(Status.JUKEBOX, status(server, call), call::toString);
            }
            assertEquals(Nfs4Status.GRACE, other.status(at("", remove(HELD))));
            assertEquals(Nfs4Status.GRACE, other.status(at("", saveFh(), rename(OTHER, HELD))));
            assertEquals(Nfs4Status.DELAY, other.status(linking()));
            assertEquals(Nfs4Status.DELAY, other.status(at(HELD, read(StateId.READ_BYPASS, 0, 4))));
            assertEquals(
                    Nfs4Status.DELAY,
                    other.status(at(HELD, setAttr(StateId.ANONYMOUS, SetAttributes.ofMode(0600)))));
            var client = holder(server);
            var reclaiming =
                    open(
                            "owner",
                            Open.BOTH,
                            0,
                            new OpenCreation.None(),
                            new OpenClaim.Previous(WRITE_DELEGATION));
            var granted =
                    assertInstanceOf(
                            OpenDelegation.Write.class,
                            ((StateResult.Open) client.last(at(HELD, reclaiming))).delegation());
            client.last(at(HELD, write(granted.stateId(), 0, "mine")));
            assertEquals("mine", Files.readString(parent.resolve("root").resolve(HELD)));
            assertEquals(Status.JUKEBOX, status(server, new Nfs3Call.Read(file, 0, 4)));
            // The grace period ends with this. The file of nobody is free, this one is recalled.
            client.last(reclaimComplete());
            assertEquals(
                    Status.OK, status(server, new Nfs3Call.Remove(new DirOpArgs(root, OTHER))));
            assertEquals(Status.JUKEBOX, status(server, new Nfs3Call.Read(file, 0, 4)));
        }
    }

    /** An export without delegations has none to wait for. Its open files keep their names. */
    @Test
    void withoutDelegationsOnlyNamesOfVersion4Wait() throws Exception {
        var file = delegated(Delegations.NONE);
        try (var server = serve(Delegations.NONE)) {
            var other = CompoundClient.recovering(server, "other");
            other.last(reclaimComplete());
            assertEquals(Nfs4Status.GRACE, other.status(at("", remove(OTHER))));
            assertEquals(Nfs4Status.GRACE, other.status(at("", saveFh(), rename(OTHER, "new"))));
            assertEquals(
                    Nfs4Status.OK,
                    other.status(at(HELD, setAttr(StateId.ANONYMOUS, SetAttributes.ofMode(0600)))));
            for (var call : uses(handle(other, ""), file).subList(0, 4)) {
                assertEquals(Status.OK, status(server, call), call::toString);
            }
            assertTrue(Files.exists(parent.resolve("root").resolve(OTHER)));
        }
    }
}
