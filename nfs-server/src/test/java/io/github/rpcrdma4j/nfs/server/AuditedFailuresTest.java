package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.audit.AuditEntry;
import io.github.rpcrdma4j.nfs.server.audit.AuditedChange;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.Attribute;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: an audit misses no change whose call fails, and its own failures fail no call. */
@Timeout(60)
class AuditedFailuresTest {
    private static final String FILE = "file";

    private final HangingStores stores =
            new HangingStores(
                    TestServer.EXPORT,
                    Set.of("Node.remove", "Node.setAttributes", "Node.create", "Node.lookup"));
    private final List<AuditEntry> told = new CopyOnWriteArrayList<>();
    private TestDirectory testDirectory;
    private TestServer server;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve(FILE), "text");
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export), stores);
        server.nfs.setAudit(told::add);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private Nfs3Call.Remove remove() throws Exception {
        return new Nfs3Call.Remove(new Nfs3Call.DirOpArgs(server.root(), FileName.of(FILE)));
    }

    private Status removed(Failure failure) throws Exception {
        stores.fail("Node.remove", new StoreException(failure));
        return server.status(remove());
    }

    @Test
    void aFailureBehindAChangeIsTold() throws Exception {
        assertEquals(Status.IO, removed(Failure.IO));
        assertEquals(Optional.of("IO"), told.getFirst().failure());
        var change = (AuditedChange.Removed) told.getFirst().change();
        assertEquals("/" + FILE, change.name().path().orElseThrow().toString());
        assertEquals(Status.NOSPC, removed(Failure.NOSPC));
        assertEquals(2, told.size());
    }

    @Test
    void aRefusalIsNot() throws Exception {
        for (var each : List.of(Failure.ACCES, Failure.PERM, Failure.ROFS, Failure.NOENT)) {
            assertEquals(Status.valueOf(each.name()), removed(each));
        }
        assertEquals(List.of(), told);
    }

    @Test
    void theRightsThatWereSetBeforeAFailureAreTold() throws Exception {
        var changes = SetAttributes.ofMode(0700).withOwner(OptionalInt.of(1), OptionalInt.of(2));
        var call =
                new Nfs3Call.ChangeAttributes(
                        server.lookup(server.root(), FILE), changes, Optional.empty());
        stores.fail("Node.setAttributes", new StoreException(Failure.PERM));
        assertEquals(Status.PERM, server.status(call));
        assertEquals(List.of(), told);
        var set = EnumSet.of(Attribute.SIZE, Attribute.OWNER);
        stores.fail("Node.setAttributes", new StoreException(Failure.PERM).after(set));
        assertEquals(Status.PERM, server.status(call));
        var entry = told.getFirst();
        assertEquals(Optional.of("PERM"), entry.failure());
        var rights = (AuditedChange.RightsSet) entry.change();
        assertEquals(OptionalInt.of(1), rights.uid());
        assertEquals(OptionalInt.empty(), rights.gid());
        assertEquals(OptionalInt.empty(), rights.mode());
    }

    private static Arguments creation(String name) {
        var owner = Optional.of(Who.ofId(LocalCalls.user()));
        var wanted =
                io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes.NONE.withOwner(
                        owner, Optional.empty());
        return Nfs4Calls.open(
                "owner",
                Open.BOTH,
                0,
                new OpenCreation.ExclusiveWithAttributes(7, Nfs4Calls.encoded(wanted)),
                Nfs4Calls.claim(name));
    }

    /** Creates a file, and tries it again, which fails. */
    private Nfs4Status createdAgain(CompoundClient client, StoreException failure)
            throws Exception {
        stores.fail("Node.create", failure);
        return client.status(at("", creation("new")));
    }

    @Test
    void theRightsThatACreationSetBeforeAFailureAreTold() throws Exception {
        var client = CompoundClient.of(server, "client");
        var open = client.open(at("", creation("new")));
        client.last(at("new", close(open)));
        assertEquals(Nfs4Status.PERM, createdAgain(client, new StoreException(Failure.PERM)));
        assertEquals(List.of(), told);
        var behindOwner = new StoreException(Failure.PERM).after(EnumSet.of(Attribute.OWNER));
        assertEquals(Nfs4Status.PERM, createdAgain(client, behindOwner));
        assertEquals(Nfs4Status.NOSPC, createdAgain(client, new StoreException(Failure.NOSPC)));
        assertEquals(
                List.of(Optional.of("PERM"), Optional.of("NOSPC")),
                told.stream().map(AuditEntry::failure).toList());
        for (var each : told) {
            var rights = (AuditedChange.RightsSet) each.change();
            assertEquals(OptionalInt.of(LocalCalls.user()), rights.uid());
            assertEquals("/new", rights.file().path().orElseThrow().toString());
        }
    }

    /** Not of the file that has the name when the audit is told. */
    @Test
    void aRepeatedCreationIsToldWithItsOwnFile() throws Exception {
        var client = CompoundClient.of(server, "client");
        var open = client.open(at("", creation("new")));
        client.last(at("new", close(open)));
        long number = server.attributes(server.lookup(server.root(), "new")).fileId();
        stores.fail("Node.lookup", new StoreException(Failure.NOENT));
        client.open(at("", creation("new")));
        var rights = (AuditedChange.RightsSet) told.getFirst().change();
        assertEquals(OptionalLong.of(number), rights.file().number());
    }

    @Test
    void anAuditThatFailsFailsNoCall() throws Exception {
        server.nfs.setAudit(
                _ -> {
                    throw new IllegalStateException("broken");
                });
        assertEquals(Status.OK, server.status(remove()));
        assertTrue(Files.notExists(testDirectory.root().resolve(FILE)));
    }
}
