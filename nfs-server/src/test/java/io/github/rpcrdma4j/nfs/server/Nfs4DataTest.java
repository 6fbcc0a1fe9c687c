package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.NetworkLocation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments.SetXattr;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: data is read, written and copied as RFC 8881, RFC 7862 and RFC 8276 say. */
class Nfs4DataTest {
    private static final StateId NONE = StateId.ANONYMOUS;

    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.writeString(path("file"), "text");
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private Path path(String name) {
        return testDirectory.root().resolve(name);
    }

    private Nfs4Status status(Arguments... operations) throws Exception {
        return client.status(at("file", operations));
    }

    private <T> T last(Class<T> type, Arguments... operations) throws Exception {
        return type.cast(client.last(at("file", operations)));
    }

    private static String text(MemorySegment data) {
        return new String(data.toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void readsEndAtTheEndOfTheFile() throws Exception {
        var part = last(DataResult.Read.class, read(NONE, 1, 2));
        assertEquals("ex", text(part.data()));
        assertEquals(false, part.isEndOfFile());
        var rest = last(DataResult.Read.class, read(NONE, 2, 100));
        assertEquals("xt", text(rest.data()));
        assertTrue(rest.isEndOfFile());
        for (long offset : new long[] {4, 5, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            var behind = last(DataResult.Read.class, read(NONE, offset, -1));
            assertEquals(0, behind.data().byteSize());
            assertTrue(behind.isEndOfFile());
        }
        assertEquals(0, last(DataResult.Read.class, read(NONE, 0, 0)).data().byteSize());
    }

    @Test
    void writesBeyondTheLargestFileAreTooBig() throws Exception {
        for (long offset : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            assertEquals(Nfs4Status.FBIG, status(write(NONE, offset, "x")));
        }
        assertEquals(4, Files.size(path("file")));
        assertEquals(0, last(DataResult.Write.class, write(NONE, 0, "")).count());
    }

    @Test
    void theVerifierOfCommitIsThatOfWrites() throws Exception {
        var unstable =
                new DataArguments.Write(
                        NONE, 2, Stability.UNSTABLE, MemorySegment.ofArray("XT".getBytes()));
        var written = last(DataResult.Write.class, unstable);
        assertEquals(2, written.count());
        assertEquals(
                written.verifier(),
                last(DataResult.Commit.class, new DataArguments.Commit(0, 0)).verifier());
        assertEquals("teXT", Files.readString(path("file")));
        assertEquals(Nfs4Status.INVAL, status(new DataArguments.Commit(Long.MAX_VALUE, 1)));
        assertEquals(Nfs4Status.ISDIR, client.status(at("", new DataArguments.Commit(0, 0))));
    }

    @Test
    void specialStateidsKeepToShareReservations() throws Exception {
        var other = CompoundClient.of(server, "other");
        other.last(at("", open("file", Open.READ, Open.BOTH)));
        assertEquals(Nfs4Status.LOCKED, status(read(NONE, 0, 1)));
        assertEquals(Nfs4Status.OK, status(read(StateId.READ_BYPASS, 0, 1)));
        assertEquals(Nfs4Status.LOCKED, status(write(NONE, 0, "x")));
        assertEquals(Nfs4Status.LOCKED, status(write(StateId.READ_BYPASS, 0, "x")));
        assertEquals(Nfs4Status.LOCKED, status(setAttr(NONE, SetAttributes.ofSize(0))));
        assertEquals("text", Files.readString(path("file")));
    }

    @Test
    void invalidStateidsAreBad() throws Exception {
        for (var id :
                List.of(
                        StateId.INVALID,
                        new StateId(7, 0, 0),
                        new StateId(0, -1, -1),
                        new StateId(1, 5, 5))) {
            assertEquals(Nfs4Status.BAD_STATEID, status(read(id, 0, 1)), id::toString);
            assertEquals(Nfs4Status.BAD_STATEID, status(write(id, 0, "x")), id::toString);
        }
    }

    @Test
    void holesAreFound() throws Exception {
        client.last(at("file", setAttr(NONE, SetAttributes.ofSize(1 << 20))));
        client.last(at("file", write(NONE, 1 << 19, "data")));
        var data = last(DataResult.Seek.class, new DataArguments.Seek(NONE, 1 << 18, 0));
        assumeTrue(data.offset() > 1 << 18, "the file system has no holes");
        assertEquals(new DataResult.Seek(false, 1 << 19), data);
        var hole = last(DataResult.Seek.class, new DataArguments.Seek(NONE, 1 << 19, 1));
        assertTrue(hole.offset() > 1 << 19 && hole.offset() < 1 << 20);
        assertEquals(Nfs4Status.NXIO, status(new DataArguments.Seek(NONE, 1 << 20, 0)));
        assertEquals(Nfs4Status.NXIO, status(new DataArguments.Seek(NONE, -1, 1)));
        assertEquals(Nfs4Status.UNION_NOTSUPP, status(new DataArguments.Seek(NONE, 0, 2)));
        var plus =
                last(DataResult.ReadPlus.class, new DataArguments.ReadPlus(NONE, 1 << 18, 1 << 20));
        assertEquals(
                List.of(new DataResult.ReadPlus.Content.Hole(1 << 18, 1 << 18)), plus.contents());
    }

    @Test
    void readPlusReadsData() throws Exception {
        var plus = last(DataResult.ReadPlus.class, new DataArguments.ReadPlus(NONE, 1, 100));
        var data = (DataResult.ReadPlus.Content.Data) plus.contents().getFirst();
        assertEquals(1, data.offset());
        assertEquals("ext", text(data.data()));
        assertTrue(plus.isEndOfFile());
        for (long offset : new long[] {4, -1}) {
            var behind =
                    last(DataResult.ReadPlus.class, new DataArguments.ReadPlus(NONE, offset, 1));
            assertEquals(new DataResult.ReadPlus(true, List.of()), behind);
        }
    }

    @Test
    void spaceIsAllocatedAndReleased() throws Exception {
        var first = status(new DataArguments.Allocate(NONE, 0, 8192));
        assumeTrue(first != Nfs4Status.NOTSUPP, "the file system cannot allocate");
        assertEquals(Nfs4Status.OK, first);
        assertEquals(8192, Files.size(path("file")));
        assertEquals(Nfs4Status.OK, status(new DataArguments.Deallocate(NONE, 1, 2)));
        assertEquals("t\0\0t", text(last(DataResult.Read.class, read(NONE, 0, 4)).data()));
        assertEquals(8192, Files.size(path("file")));
        assertEquals(Nfs4Status.INVAL, status(new DataArguments.Allocate(NONE, 0, 0)));
        assertEquals(Nfs4Status.INVAL, status(new DataArguments.Deallocate(NONE, -1, 2)));
        assertEquals(Nfs4Status.FBIG, status(new DataArguments.Allocate(NONE, Long.MAX_VALUE, 2)));
    }

    private static CopyArguments.Copy copy(long from, long to, long count) {
        return new CopyArguments.Copy(NONE, NONE, from, to, count, true, true, List.of());
    }

    private Arguments[] toOther(Arguments copying) {
        return join(at("file", saveFh()), at("", create("other"), copying));
    }

    @Test
    void copiesStayOnTheServer() throws Exception {
        var copied = (CopyResult.Copy) client.last(toOther(copy(1, 2, 0)));
        assertEquals(3, copied.count());
        assertEquals("\0\0ext", Files.readString(path("other")));
        var behind = (CopyResult.Copy) client.last(toOther(copy(4, 0, 0)));
        assertEquals(0, behind.count());
        assertEquals(Nfs4Status.INVAL, client.status(toOther(copy(-1, 0, 1))));
        assertEquals(Nfs4Status.INVAL, client.status(toOther(copy(0, Long.MAX_VALUE, 1))));
        var elsewhere =
                new CopyArguments.Copy(
                        NONE,
                        NONE,
                        0,
                        0,
                        1,
                        true,
                        true,
                        List.of(new NetworkLocation.Name(Nfs4Calls.name("box"))));
        assertEquals(Nfs4Status.NOTSUPP, client.status(toOther(elsewhere)));
        assertEquals(
                Nfs4Status.BAD_STATEID, status(new CopyArguments.OffloadCancel(StateId.INVALID)));
    }

    @Test
    void copiesNeedTheRightsOfTheirStateids() throws Exception {
        var other = CompoundClient.of(server, "other");
        other.last(at("", open("file", Open.WRITE, Open.READ)));
        assertEquals(Nfs4Status.LOCKED, client.status(toOther(copy(0, 0, 4))));
        assertEquals("", Files.readString(path("other")));
    }

    @Test
    void aCloneIsWholeOrNotSupported() throws Exception {
        var clone = new CopyArguments.Clone(NONE, NONE, 0, 0, 0);
        var status = client.status(toOther(clone));
        if (status == Nfs4Status.OK) {
            assertEquals("text", Files.readString(path("other")));
        } else {
            assertEquals(Nfs4Status.NOTSUPP, status);
        }
    }

    private static SetXattr set(SetXattr.Option option, String name, byte[] value) {
        return new SetXattr(option, FileName.of(name), MemorySegment.ofArray(value));
    }

    @Test
    void extendedAttributesAreKept() throws Exception {
        var first = status(set(SetXattr.Option.CREATE, "color", "red".getBytes()));
        assumeTrue(first != Nfs4Status.NOTSUPP, "the file system has no extended attributes");
        assertEquals(Nfs4Status.OK, first);
        var get = new XattrArguments.GetXattr(FileName.of("color"));
        assertEquals("red", text(last(XattrResult.GetXattr.class, get).value()));
        assertEquals(
                Nfs4Status.EXIST, status(set(SetXattr.Option.CREATE, "color", "blue".getBytes())));
        assertEquals(
                Nfs4Status.NOXATTR,
                status(set(SetXattr.Option.REPLACE, "other", "blue".getBytes())));
        assertEquals(
                Nfs4Status.XATTR2BIG,
                status(set(SetXattr.Option.EITHER, "big", new byte[(64 << 10) + 1])));
        var list = last(XattrResult.ListXattrs.class, new XattrArguments.ListXattrs(0, 4096));
        assertEquals(List.of(FileName.of("color")), list.names());
        assertTrue(list.isLast());
        assertEquals(Nfs4Status.TOOSMALL, status(new XattrArguments.ListXattrs(0, 8)));
        assertEquals(Nfs4Status.BAD_COOKIE, status(new XattrArguments.ListXattrs(9, 4096)));
        var remove = new XattrArguments.RemoveXattr(FileName.of("color"));
        assertEquals(Nfs4Status.OK, status(remove));
        assertEquals(Nfs4Status.NOXATTR, status(remove));
        assertEquals(Nfs4Status.NOXATTR, status(get));
    }
}
