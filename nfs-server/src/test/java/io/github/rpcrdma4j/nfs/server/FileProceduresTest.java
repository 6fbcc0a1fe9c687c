package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the procedures on one file work: GETATTR, SETATTR, ACCESS, READLINK, READ, WRITE and
 * COMMIT.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class FileProceduresTest {
    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    @Test
    void answersNull() throws Exception {
        server.results(Nfs3.PROGRAM, Nfs3.VERSION, 0, new Credential.None(), _ -> {}).finish();
    }

    @Test
    void distinguishesFilesDirectoriesAndLinks() throws Exception {
        var file = server.attributes(server.create(root, "file"));
        var directory = server.attributes(server.makeDirectory(root, "directory"));
        var link = server.attributes(server.link(root, "link", "file"));
        assertEquals(FileType.REGULAR, file.type());
        assertEquals(FileType.DIRECTORY, directory.type());
        assertEquals(FileType.SYMBOLIC_LINK, link.type());
        assertNotEquals(file.fileId(), directory.fileId());
        assertEquals(file.fileSystemId(), directory.fileSystemId());
        assertEquals(1, file.links());
        assertEquals(0, file.size());
    }

    @Test
    void readsWhatWasWritten() throws Exception {
        var file = server.create(root, "file");
        assertEquals(5, server.write(file, 0, "hello").count());
        assertEquals("hello", server.read(file, 0, 100));
        assertEquals("ell", server.read(file, 1, 3));
        assertEquals(5, server.attributes(file).size());
    }

    @Test
    void saysWhenTheEndIsReached() throws Exception {
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        assertFalse(server.ok(new Nfs3Call.Read(file, 0, 4)).endOfFile());
        assertTrue(server.ok(new Nfs3Call.Read(file, 0, 5)).endOfFile());
        assertTrue(server.ok(new Nfs3Call.Read(file, 5, 1)).endOfFile());
        var beyond = server.ok(new Nfs3Call.Read(file, 1L << 40, 1));
        assertTrue(beyond.endOfFile());
        assertEquals(0, beyond.data().byteSize());
        var unsigned = server.ok(new Nfs3Call.Read(file, -1, 1));
        assertTrue(unsigned.endOfFile());
        assertEquals(0, unsigned.data().byteSize());
    }

    @Test
    void readsAndWritesNoBytes() throws Exception {
        var file = server.create(root, "file");
        assertEquals(0, server.write(file, 7, "").count());
        assertEquals(0, server.attributes(file).size());
        server.write(file, 0, "hello");
        var nothing = server.ok(new Nfs3Call.Read(file, 0, 0));
        assertEquals(0, nothing.data().byteSize());
        assertFalse(nothing.endOfFile());
    }

    @Test
    void cutsAReadAtTheLongestTransfer() throws Exception {
        var file = server.create(root, "file");
        int long_ = NfsServer.TRANSFER_MAX + 1;
        var data = Arena.ofAuto().allocate(long_);
        server.ok(new Nfs3Call.Write(file, 0, Stability.UNSTABLE, data));
        for (int count : new int[] {long_, -1}) {
            var read = server.ok(new Nfs3Call.Read(file, 0, count));
            assertEquals(NfsServer.TRANSFER_MAX, read.data().byteSize());
            assertFalse(read.endOfFile());
        }
    }

    @Test
    void writesOverAndBehindWhatIsThere() throws Exception {
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        server.write(file, 3, "p me");
        server.write(file, 9, "!");
        assertEquals("help me\0\0!", server.read(file, 0, 100));
    }

    @Test
    void saysHowSafeTheBytesAre() throws Exception {
        var file = server.create(root, "file");
        long verifier = server.ok(new Nfs3Call.Commit(file, 0, 0)).longValue();
        for (var stability : Stability.values()) {
            var written = server.ok(TestServer.write(file, 0, stability, "x"));
            assertEquals(stability, written.committed());
            assertEquals(verifier, written.verifier());
        }
    }

    @Test
    void reportsAFileBeforeAndAfterAWrite() throws Exception {
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        var before = server.attributes(file);
        var wcc = server.done(TestServer.write(file, 5, Stability.FILE_SYNC, "!")).attributes();
        assertEquals(WccData.Before.of(before), wcc.before().orElseThrow());
        assertEquals(6, wcc.after().orElseThrow().size());
        var commit = server.done(new Nfs3Call.Commit(file, 0, 0)).attributes();
        assertEquals(WccData.Before.of(wcc.after().get()), commit.before().orElseThrow());
    }

    @Test
    void refusesOffsetsThatNoFileHas() throws Exception {
        var file = server.create(root, "file");
        assertEquals(
                Status.FBIG, server.status(TestServer.write(file, -1, Stability.UNSTABLE, "x")));
        var last = TestServer.write(file, Long.MAX_VALUE, Stability.UNSTABLE, "x");
        assertEquals(Status.FBIG, server.status(last));
        assertEquals(Status.FBIG, server.status(change(file, SetAttributes.ofSize(-1))));
    }

    @Test
    void transfersOnlyWithRegularFiles() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        var link = server.link(root, "link", "directory");
        var data = MemorySegment.ofArray(new byte[1]);
        assertEquals(Status.ISDIR, server.status(new Nfs3Call.Read(directory, 0, 1)));
        assertEquals(Status.INVAL, server.status(new Nfs3Call.Read(link, 0, 1)));
        var toDirectory = new Nfs3Call.Write(directory, 0, Stability.UNSTABLE, data);
        assertEquals(Status.ISDIR, server.status(toDirectory));
        var toLink = new Nfs3Call.Write(link, 0, Stability.UNSTABLE, data);
        assertEquals(Status.INVAL, server.status(toLink));
        assertEquals(Status.ISDIR, server.status(new Nfs3Call.Commit(directory, 0, 0)));
        assertEquals(Status.ISDIR, server.status(change(directory, SetAttributes.ofSize(0))));
        assertEquals(Status.INVAL, server.status(change(link, SetAttributes.ofSize(0))));
    }

    @Test
    void cutsAndExtendsFiles() throws Exception {
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        var wcc = server.done(change(file, SetAttributes.ofSize(2))).attributes();
        assertEquals(5, wcc.before().orElseThrow().size());
        assertEquals(2, wcc.after().orElseThrow().size());
        server.ok(change(file, SetAttributes.ofSize(4)));
        assertEquals("he\0\0", server.read(file, 0, 100));
        server.ok(change(file, SetAttributes.ofSize(4)));
        assertEquals(4, server.attributes(file).size());
    }

    @Test
    void setsTimes() throws Exception {
        var file = server.create(root, "file");
        var accessed = new Timestamp(1_000_000_000, 0);
        var modified = new Timestamp(1_100_000_000, 0);
        server.ok(change(file, times(new TimeChange.To(accessed), new TimeChange.To(modified))));
        assertEquals(accessed, server.attributes(file).accessed());
        assertEquals(modified, server.attributes(file).modified());
        server.ok(change(file, times(new TimeChange.Keep(), new TimeChange.ToServerTime())));
        assertEquals(accessed, server.attributes(file).accessed());
        assertTrue(server.attributes(file).modified().seconds() > modified.seconds());
    }

    @Test
    void setsPermissionsWhereTheyAreKept() throws Exception {
        var file = server.create(root, "file");
        for (int mode : new int[] {0, 0400, 0200, 0100, 040, 020, 010, 4, 2, 1, 0751, 0777}) {
            server.ok(change(file, SetAttributes.ofMode(mode)));
            var made = kind == TestDirectory.Kind.BASIC ? 0666 : mode;
            assertEquals(made, server.attributes(file).mode());
        }
    }

    @Test
    void changesOnlyWhatNobodyElseChanged() throws Exception {
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        var changed = server.attributes(file).changed();
        var other = new Timestamp(changed.seconds() - 1, changed.nanos());
        var size = SetAttributes.ofSize(1);
        assertEquals(
                Status.NOT_SYNC,
                server.status(new Nfs3Call.ChangeAttributes(file, size, Optional.of(other))));
        assertEquals(5, server.attributes(file).size());
        assertEquals(
                Status.OK,
                server.status(new Nfs3Call.ChangeAttributes(file, size, Optional.of(changed))));
        assertEquals(1, server.attributes(file).size());
    }

    @Test
    void grantsAccessByWhatTheFileIs() throws Exception {
        int all = 0x3f;
        var file = server.create(root, "file");
        int ofFile = server.ok(new Nfs3Call.Access(file, all));
        // The mode has no execute bits; without modes, all rights are granted.
        int run = kind == TestDirectory.Kind.LOCAL ? 0 : Nfs3.ACCESS_EXECUTE;
        assertEquals(Nfs3.ACCESS_READ | Nfs3.ACCESS_MODIFY | Nfs3.ACCESS_EXTEND | run, ofFile);
        int ofDirectory = server.ok(new Nfs3Call.Access(root, all));
        assertEquals(
                Nfs3.ACCESS_READ
                        | Nfs3.ACCESS_LOOKUP
                        | Nfs3.ACCESS_MODIFY
                        | Nfs3.ACCESS_EXTEND
                        | Nfs3.ACCESS_DELETE,
                ofDirectory);
        assertEquals(Nfs3.ACCESS_READ, server.ok(new Nfs3Call.Access(root, Nfs3.ACCESS_READ)));
    }

    @Test
    void givesTheTextOfLinksAndNothingElse() throws Exception {
        for (var text : new String[] {"file", "../../etc/passwd", "/absolute", "größe/日本"}) {
            var link = server.link(root, "link", text);
            assertEquals(text, server.ok(new Nfs3Call.ReadLink(link)).path().toString());
            server.ok(new Nfs3Call.Remove(new Nfs3Call.DirOpArgs(root, "link")));
        }
        var file = server.create(root, "file");
        assertEquals(Status.INVAL, server.status(new Nfs3Call.ReadLink(file)));
        assertEquals(Status.INVAL, server.status(new Nfs3Call.ReadLink(root)));
    }

    @Test
    void describesTheFileSystem() throws Exception {
        var space = server.ok(new Nfs3Call.FsStat(root));
        assertTrue(space.totalBytes() >= space.freeBytes());
        assertTrue(space.freeBytes() >= space.availableBytes());
        var info = server.ok(new Nfs3Call.FsInfo(root));
        assertEquals(NfsServer.TRANSFER_MAX, info.readMax());
        assertEquals(NfsServer.TRANSFER_MAX, info.writeMax());
        assertTrue(info.listPreferred() > 0);
        var path = server.ok(new Nfs3Call.PathConf(root));
        assertEquals(FileName.BYTES_MAX, path.nameMax());
        assertTrue(path.refusesLongNames());
        assertTrue(path.casePreserving());
    }

    @Test
    void knowsNothingOfFilesThatAreGone() throws Exception {
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        server.ok(new Nfs3Call.Remove(new Nfs3Call.DirOpArgs(root, "file")));
        assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(file)));
        assertEquals(Status.STALE, server.status(new Nfs3Call.Read(file, 0, 1)));
        assertEquals(
                Status.STALE, server.status(TestServer.write(file, 0, Stability.UNSTABLE, "x")));
        assertEquals(Status.STALE, server.status(new Nfs3Call.Commit(file, 0, 0)));
        assertEquals(Status.STALE, server.status(new Nfs3Call.ReadLink(file)));
        assertEquals(Status.STALE, server.status(new Nfs3Call.Access(file, 1)));
        assertEquals(Status.STALE, server.status(change(file, SetAttributes.ofSize(0))));
        // A new file with the name of the old one is another file.
        server.create(root, "file");
        assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(file)));
    }

    @Test
    void saysNothingOfTheFileWhenItFails() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        var reply = server.call(TestServer.write(directory, 0, Stability.UNSTABLE, "x"));
        switch (reply) {
            case Nfs3Reply.Ok<?, ?> _ -> throw new AssertionError("written to a directory");
            case Nfs3Reply.Failed<WccData, ?>(var status, var wcc) -> {
                assertEquals(Status.ISDIR, status);
                assertEquals(FileType.DIRECTORY, wcc.after().orElseThrow().type());
            }
        }
    }

    @Test
    void refusesAttributesThatAreNone() throws Exception {
        var file = server.create(root, "file");
        var none = SetAttributes.NONE;
        var id = OptionalInt.of(-1);
        var time = new TimeChange.To(new Timestamp(1, 1_000_000_000));
        for (var wanted :
                List.of(
                        new SetAttributes(
                                none.mode(),
                                id,
                                none.gid(),
                                none.size(),
                                new TimeChange.Keep(),
                                none.modified()),
                        new SetAttributes(
                                none.mode(),
                                none.uid(),
                                id,
                                none.size(),
                                new TimeChange.Keep(),
                                none.modified()),
                        times(time, new TimeChange.Keep()),
                        times(new TimeChange.Keep(), time))) {
            assertEquals(Status.INVAL, server.status(change(file, wanted)));
            var create =
                    new Nfs3Call.Create(
                            new Nfs3Call.DirOpArgs(root, "new"),
                            new Nfs3Call.CreateMode.Unchecked(wanted));
            assertEquals(Status.INVAL, server.status(create));
        }
        assertEquals(List.of(".", "..", "file"), server.names(root));
    }

    private static Nfs3Call.ChangeAttributes change(FileHandle file, SetAttributes changes) {
        return new Nfs3Call.ChangeAttributes(file, changes, Optional.empty());
    }

    private static SetAttributes times(TimeChange accessed, TimeChange modified) {
        return new SetAttributes(
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalLong.empty(),
                accessed,
                modified);
    }
}
