package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lookup;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.restoreFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.unlock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: the current and saved filehandles and stateids follow RFC 8881, Sections 16.2.3.1.1 and
 * 16.2.3.1.2.
 */
class CurrentStateIdTest {
    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private static Arguments readCurrent() {
        return read(StateId.CURRENT, 0, 10);
    }

    private FileHandle handle(String path) throws Exception {
        return ((HandleResult.GetFh) client.last(at(path, getFh()))).handle();
    }

    @Test
    void openSetsTheCurrentStateid() throws Exception {
        client.last(
                at(
                        "",
                        create("file"),
                        write(StateId.CURRENT, 0, "text"),
                        readCurrent(),
                        setAttr(StateId.CURRENT, SetAttributes.ofSize(2)),
                        new DataArguments.Seek(StateId.CURRENT, 0, 0),
                        close(StateId.CURRENT)));
        assertEquals("te", Files.readString(testDirectory.root().resolve("file")));
    }

    @Test
    void closeInvalidatesTheCurrentStateid() throws Exception {
        assertEquals(
                Nfs4Status.BAD_STATEID,
                client.status(at("", create("file"), close(StateId.CURRENT), readCurrent())));
    }

    @Test
    void lockSetsTheCurrentStateid() throws Exception {
        client.last(
                at(
                        "",
                        create("file"),
                        lock(StateId.CURRENT, "locker", LockType.WRITE, 0, 10),
                        lock(StateId.CURRENT, LockType.READ, 0, 5),
                        readCurrent(),
                        unlock(StateId.CURRENT, 0, 10),
                        new StateArguments.FreeStateId(StateId.CURRENT)));
    }

    @Test
    void downgradeSetsTheCurrentStateid() throws Exception {
        client.last(at("", create("file")));
        client.last(
                at(
                        "",
                        open("file", Open.READ, 0),
                        new StateArguments.OpenDowngrade(StateId.CURRENT, 0, Open.READ, 0),
                        readCurrent(),
                        close(StateId.CURRENT)));
    }

    @Test
    void otherFilehandlesHaveNoStateid() throws Exception {
        client.last(at("", create("file")));
        var handle = handle("file");
        for (var other : List.of(new Arguments[] {new HandleArguments.PutFh(handle)}, at("file"))) {
            assertEquals(
                    Nfs4Status.BAD_STATEID,
                    client.status(join(at("", create("file")), join(other, readCurrent()))));
        }
    }

    @Test
    void aCompoundBeginsWithoutAStateid() throws Exception {
        client.last(at("", create("file"), readCurrent()));
        assertEquals(Nfs4Status.BAD_STATEID, client.status(at("file", readCurrent())));
    }

    @Test
    void theSavedFilehandleKeepsItsStateid() throws Exception {
        client.last(
                join(
                        at("", create("file"), saveFh()),
                        join(at("", getFh()), restoreFh(), readCurrent())));
        assertEquals(
                Nfs4Status.BAD_STATEID,
                client.status(
                        join(
                                at("file", saveFh()),
                                join(at("", create("file")), restoreFh(), readCurrent()))));
    }

    @Test
    void savingKeepsTheCurrentFilehandleAndItsStateid() throws Exception {
        client.last(at("", create("file"), saveFh(), readCurrent(), restoreFh(), readCurrent()));
    }

    private static Arguments copyCurrent() {
        return new CopyArguments.Copy(
                StateId.CURRENT, StateId.CURRENT, 0, 0, 6, true, true, List.of());
    }

    @Test
    void aSourceTakesTheSavedStateid() throws Exception {
        try (var copying = TestDirectory.of(TestDirectory.Kind.LOCAL);
                var local = TestServer.of(copying)) {
            var copier = CompoundClient.of(local, "copier");
            copier.last(at("", create("from"), write(StateId.CURRENT, 0, "copied")));
            var target = at("", create("to"), copyCurrent());
            copier.last(join(at("", open("from", Open.READ, 0), saveFh()), target));
            assertEquals("copied", Files.readString(copying.root().resolve("to")));
            assertEquals(Nfs4Status.BAD_STATEID, copier.status(join(at("from", saveFh()), target)));
        }
    }

    @Test
    void aFailedLookupKeepsNothing() throws Exception {
        assertEquals(Nfs4Status.NOENT, client.status(at("", lookup("absent"), getFh())));
        assertEquals(Nfs4Status.NOFILEHANDLE, client.status(getFh()));
    }

    @Test
    void aStateidOfAnotherFileIsBad() throws Exception {
        var one = client.open(at("", create("one")));
        client.last(at("", create("other")));
        assertEquals(Nfs4Status.BAD_STATEID, client.status(at("other", read(one, 0, 1))));
        assertEquals(Nfs4Status.BAD_STATEID, client.status(at("other", close(one))));
        assertEquals(Nfs4Status.OK, client.status(at("one", read(one, 0, 1))));
    }

    @Test
    void anOlderSequenceOfAStateidIsOld() throws Exception {
        var first = client.open(at("", create("file")));
        var second = client.open(at("", create("file")));
        assertNotEquals(first, second);
        assertEquals(Nfs4Status.OLD_STATEID, client.status(at("file", read(first, 0, 1))));
        assertEquals(Nfs4Status.OK, client.status(at("file", read(second.withSequence(0), 0, 1))));
        assertEquals(
                Nfs4Status.BAD_STATEID,
                client.status(at("file", read(second.withSequence(second.sequence() + 1), 0, 1))));
    }

    @Test
    void closeTakesTheHandleOfAFileThatIsGone() throws Exception {
        var open = client.open(at("", create("file")));
        var handle = handle("file");
        client.last(at("", Nfs4Calls.remove("file")));
        client.last(new HandleArguments.PutFh(handle), close(open));
    }

    @Test
    void secInfoConsumesTheFilehandle() throws Exception {
        Files.createFile(testDirectory.root().resolve("file"));
        var secInfo = new HandleArguments.SecInfo(FileName.of("file"));
        assertEquals(Nfs4Status.NOFILEHANDLE, client.status(at("", secInfo, getFh())));
        var noName = new HandleArguments.SecInfoNoName(HandleArguments.SecInfoNoName.Style.PARENT);
        assertEquals(Nfs4Status.NOFILEHANDLE, client.status(at("", noName, getFh())));
    }
}
