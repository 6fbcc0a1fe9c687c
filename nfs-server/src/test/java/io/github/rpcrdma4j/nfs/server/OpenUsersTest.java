package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.claim;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.encoded;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.audit.AuditEntry;
import io.github.rpcrdma4j.nfs.server.audit.AuditedChange;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: an open gives no user more than the user's own rights. */
class OpenUsersTest {
    private static final int USER = ServedUser.USER;
    private static final Arguments CUTTING =
            open(
                    "owner",
                    Open.READ,
                    0,
                    new OpenCreation.Unchecked(encoded(SetAttributes.ofSize(0))),
                    claim("file"));

    private ServedUser served;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        served = ServedUser.start();
        server = served.server();
        client = served.client();
    }

    @AfterEach
    void stop() throws Exception {
        if (served != null) {
            served.close();
        }
    }

    private Path fileOfRoot(int mode) throws Exception {
        return served.file("file", mode);
    }

    @Test
    void anOpenForReadingCutsNoFileThatItsUserCannotWrite() throws Exception {
        var file = fileOfRoot(0644);
        assertEquals(Nfs4Status.ACCESS, client.status(at("", CUTTING)));
        assertEquals("text", Files.readString(file));
        client.become(CompoundClient.ROOT);
        assertEquals(Nfs4Status.OK, client.status(at("", CUTTING)));
        assertEquals("", Files.readString(file));
    }

    @Test
    void anOpenForReadingCutsNoFileOfAReadOnlyExport() throws Exception {
        var file = fileOfRoot(0666);
        try (var readOnly = TestServer.readOnly(served.directory())) {
            var reader = CompoundClient.of(readOnly, "reader", USER);
            assertEquals(Nfs4Status.ROFS, reader.status(at("", CUTTING)));
        }
        assertEquals("text", Files.readString(file));
    }

    @Test
    void anOpenForReadingCutsNoFileThatAnotherDeniesToWrite() throws Exception {
        var file = fileOfRoot(0666);
        var other = CompoundClient.of(server, "other", USER);
        assertEquals(Nfs4Status.OK, other.status(at("", open("file", Open.READ, Open.WRITE))));
        assertEquals(Nfs4Status.SHARE_DENIED, client.status(at("", CUTTING)));
        assertEquals("text", Files.readString(file));
    }

    @Test
    void theStateIdOfAnotherUserGivesNoRights() throws Exception {
        var file = fileOfRoot(0600);
        client.become(CompoundClient.ROOT);
        var stateId = client.open(at("", open("file", Open.BOTH, 0)));
        client.become(CompoundClient.user(USER));
        refusesAll(stateId);
        client.become(CompoundClient.ROOT);
        assertEquals(Nfs4Status.OK, client.status(at("file", write(stateId, 0, "more"))));
        assertEquals("more", Files.readString(file));
    }

    @Test
    void theOpenOwnerOfAnotherUserWidensNoRights() throws Exception {
        fileOfRoot(0644);
        client.become(CompoundClient.ROOT);
        client.open(at("", open("file", Open.BOTH, 0)));
        client.become(CompoundClient.user(USER));
        var widened = client.open(at("", open("file", Open.READ, 0)));
        assertEquals(Nfs4Status.ACCESS, client.status(at("file", write(widened, 0, "more"))));
    }

    @Test
    void aCommitNeedsTheRightToWrite() throws Exception {
        var file = fileOfRoot(0644);
        var handle = server.lookup(server.root(), "file");
        var ofVersion3 = new Nfs3Call.Commit(handle, 0, 0);
        var commit = new DataArguments.Commit(0, 0);
        client.open(at("", open("file", Open.READ, 0)));
        assertEquals(Nfs4Status.ACCESS, client.status(at("file", commit)));
        assertEquals(Status.ACCES, server.status(CompoundClient.user(USER), ofVersion3));
        Files.setAttribute(file, "unix:mode", 0666);
        assertEquals(Nfs4Status.OK, client.status(at("file", commit)));
        assertEquals(Status.OK, server.status(CompoundClient.user(USER), ofVersion3));
        var writing = client.open(at("", open("file", Open.WRITE, 0)));
        Files.setAttribute(file, "unix:mode", 0600);
        assertEquals(Nfs4Status.ACCESS, client.status(at("file", commit)));
        client.last(at("file", close(writing)));
    }

    /** The times of a file hold the verifier, and GETATTR tells them to all. */
    @Test
    void anExclusiveCreationThatFindsAFileOpensItForItsOwnerAlone() throws Exception {
        var file = fileOfRoot(0);
        Files.setAttribute(file, "unix:uid", USER);
        var stranger = CompoundClient.of(server, "stranger", USER + 1);
        var old = LeasedClient.of(server, "old");
        old.caller = CompoundClient.user(USER + 1);
        long verifier = 0x1111_1111L << Integer.SIZE | 0x2222_2222L;
        var kept = new OpenCreation.Exclusive(verifier);
        var attributes = encoded(SetAttributes.ofMode(0666));
        for (var how :
                List.of(kept, new OpenCreation.ExclusiveWithAttributes(verifier, attributes))) {
            Files.writeString(file, "");
            Files.setAttribute(file, "lastAccessTime", FileTime.from(0x1111_1111L, SECONDS));
            Files.setAttribute(file, "lastModifiedTime", FileTime.from(0x2222_2222L, SECONDS));
            for (int access = Open.READ; access <= Open.BOTH; access++) {
                var open = open("owner", access, 0, how, claim("file"));
                assertEquals(Nfs4Status.EXIST, stranger.status(at("", open)));
                var ofVersion0 = old.opening(access, 0, kept, claim("file"));
                assertEquals(Nfs4Status.EXIST, old.status(at("", ofVersion0)));
                client.last(at("file", close(client.open(at("", open)))));
            }
        }
        assertEquals(0, (int) Files.getAttribute(file, "unix:mode") & 0777);
        // A local user can give its own file the times that another one's creation would have.
        Files.setAttribute(file, "unix:mode", 0666);
        var open = open("owner", Open.BOTH, 0, kept, claim("file"));
        assertEquals(Nfs4Status.EXIST, stranger.status(at("", open)));
        var ofVersion3 =
                new Nfs3Call.Create(
                        new Nfs3Call.DirOpArgs(server.root(), FileName.of("file")),
                        new Nfs3Call.CreateMode.Exclusive(verifier));
        assertEquals(Status.EXIST, server.status(CompoundClient.user(USER + 1), ofVersion3));
    }

    @Test
    void anExclusiveCreationThatIsRepeatedDoesNotSayThatItSetTheMode() throws Exception {
        var wanted = encoded(SetAttributes.ofMode(0600));
        var how = new OpenCreation.ExclusiveWithAttributes(7, wanted);
        var open = open("owner", Open.BOTH, 0, how, claim("new"));
        var first = (StateResult.Open) client.last(at("", open));
        assertTrue(first.set().has(Attribute.MODE));
        client.last(at("new", close(first.open())));
        var second = (StateResult.Open) client.last(at("", open));
        assertFalse(second.set().has(Attribute.MODE));
    }

    @Test
    void anAuditTellsTheOwnerThatARepeatedCreationSets() throws Exception {
        var told = new CopyOnWriteArrayList<AuditEntry>();
        server.nfs.setAudit(told::add);
        client.become(CompoundClient.ROOT);
        var toUser = SetAttributes.NONE.withOwner(Optional.of(Who.ofId(USER)), Optional.empty());
        var how = new OpenCreation.ExclusiveWithAttributes(7, encoded(toUser));
        var open = open("owner", Open.BOTH, 0, how, claim("new"));
        client.last(at("new", close(client.open(at("", open)))));
        assertEquals(List.of(), told);
        client.last(at("new", close(client.open(at("", open)))));
        var set = (AuditedChange.RightsSet) told.getFirst().change();
        assertEquals(OptionalInt.of(USER), set.uid());
        assertEquals("/new", set.file().path().orElseThrow().toString());
        assertEquals(
                OptionalLong.of((long) Files.getAttribute(served.path("new"), "unix:ino")),
                set.file().number());
    }

    private void refusesAll(StateId stateId) throws Exception {
        assertEquals(Nfs4Status.ACCESS, client.status(at("file", read(stateId, 0, 4))));
        assertEquals(Nfs4Status.ACCESS, client.status(at("file", write(stateId, 0, "more"))));
        assertEquals(
                Nfs4Status.ACCESS,
                client.status(at("file", setAttr(stateId, SetAttributes.ofSize(0)))));
    }
}
