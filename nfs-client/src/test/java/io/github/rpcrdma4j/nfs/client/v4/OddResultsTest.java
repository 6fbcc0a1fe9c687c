package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: what a server tells without need, or leaves out, costs the client nothing but the call.
 * Method: at a server that the test operates by hand.
 */
@Timeout(120)
class OddResultsTest {
    private static final FileHandle DIRECTORY = new FileHandle(new byte[32]);
    private static final RemotePlace PLACE = new RemotePlace(DIRECTORY, "name");
    private static final StateId DELEGATION = new StateId(1, 77, 7);

    private ServerByHand server;
    private Nfs4Service service;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerByHand();
        service = server.connect();
    }

    @AfterEach
    void close() {
        server.handNoMore();
        service.close();
        server.close();
    }

    private static EncodedAttributes ofFile() {
        var values = ByteBuffer.allocate(28);
        values.putInt(FileType.REGULAR.number()).putLong(0).putLong(1).putLong(2);
        return EncodedAttributes.of(
                AttributeSet.of(Attribute.TYPE, Attribute.SIZE, Attribute.FSID), values.array());
    }

    private static OpenDelegation given() {
        return new OpenDelegation.Read(
                DELEGATION, false, new Ace(Ace.ALLOW, 0, 0, Who.EVERYONE), false);
    }

    private Future<?> making() throws Exception {
        var making =
                server.calling(
                        () -> service.makeFile(PLACE, AttributeChanges.ofMode(0600), true, "no"));
        server.next(
                        Opcode.SEQUENCE,
                        Opcode.PUTFH,
                        Opcode.OPEN,
                        Opcode.GETFH,
                        Opcode.GETATTR,
                        Opcode.CLOSE)
                .answer(
                        Result.done(Opcode.PUTFH),
                        new StateResult.Open(
                                new StateId(1, 2, 3),
                                new ChangeInfo(true, 1, 2),
                                0,
                                AttributeSet.of(Attribute.MODE),
                                given()),
                        new HandleResult.GetFh(Nfs4Values.handle(DIRECTORY)),
                        new AttributeResult.GetAttr(ofFile()),
                        new StateResult.Close(StateId.INVALID));
        return making;
    }

    @Test
    void aDelegationThatNobodyWantsIsGivenBack() throws Exception {
        var making = making();
        var returning = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.DELEGRETURN);
        assertEquals(new StateArguments.DelegReturn(DELEGATION), returning.operations().getLast());
        returning.answer(Result.done(Opcode.PUTFH), Result.done(Opcode.DELEGRETURN));
        making.get();
    }

    @Test
    void aDelegationThatIsNotTakenBackDoesNotHarmTheFile() throws Exception {
        var making = making();
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.DELEGRETURN)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.failed(Opcode.DELEGRETURN, Nfs4Status.BAD_STATEID));
        making.get();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void put(ByteBuffer out, String... items) {
        out.putInt(items.length);
        for (var each : items) {
            var item = bytes(each);
            out.putInt(item.length).put(item).put(new byte[-item.length & 3]);
        }
    }

    /** Four places of a file system, each at two hosts. */
    private static EncodedAttributes places(String host) {
        var values = ByteBuffer.allocate(1024);
        put(values, "here");
        values.putInt(4);
        for (int i = 0; i < 4; i++) {
            put(values, host, "b" + i);
            put(values, "vol", "x" + i);
        }
        return EncodedAttributes.of(
                AttributeSet.of(Attribute.FS_LOCATIONS),
                java.util.Arrays.copyOf(values.array(), values.position()));
    }

    /** Looks a name up that is at another server. Returns the failure. */
    private NfsException moved(AttributeResult.GetAttr told) throws Exception {
        var looking =
                server.calling(
                        () ->
                                assertThrows(
                                        NfsException.class,
                                        () -> service.lookup(PLACE, "cannot find name")));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETFH, Opcode.GETATTR)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.done(Opcode.LOOKUP),
                        Result.failed(Opcode.GETFH, Nfs4Status.MOVED));
        var asking = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETATTR);
        assertEquals(
                new AttributeArguments.GetAttr(AttributeSet.of(Attribute.FS_LOCATIONS)),
                asking.operations().getLast());
        asking.answer(Result.done(Opcode.PUTFH), Result.done(Opcode.LOOKUP), told);
        return looking.get();
    }

    @Test
    void theOtherPlacesOfAFileSystemAreNamed() throws Exception {
        var failure = moved(new AttributeResult.GetAttr(places("a\u001b[2J")));
        assertEquals(Status.MOVED, failure.status());
        assertEquals(
                "cannot find name: it is at another server: a\\x1B[2J:/vol/x0, b0:/vol/x0,"
                        + " a\\x1B[2J:/vol/x1, b1:/vol/x1 and 4 more; not followed",
                failure.getMessage());
    }

    @Test
    void aServerMayTellNoPlaces() throws Exception {
        var failure = moved(new AttributeResult.GetAttr(EncodedAttributes.NONE));
        assertEquals("cannot find name: it has moved to another server", failure.getMessage());
    }

    @Test
    void aWalkNamesThePlacesToo() throws Exception {
        var walking =
                server.calling(
                        () -> service.walk(DIRECTORY, List.of(FileName.of("name")), "cannot walk"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETFH, Opcode.GETATTR)
                .answer(Result.done(Opcode.PUTFH), Result.failed(Opcode.LOOKUP, Nfs4Status.MOVED));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETATTR)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.done(Opcode.LOOKUP),
                        new AttributeResult.GetAttr(places("a")));
        var failure = walking.get().failure().orElseThrow();
        assertEquals(
                "cannot walk: it is at another server: a:/vol/x0, b0:/vol/x0, a:/vol/x1,"
                        + " b1:/vol/x1 and 4 more; not followed",
                failure.getMessage());
    }

    @Test
    void aHandleThatIsTooLongIsMalformed() throws Exception {
        var listing =
                server.calling(() -> service.list(DIRECTORY, 0, 0, DirectoryPage.Wanted.ALL, "no"));
        var values = ByteBuffer.allocate(28 + 4 + 132);
        values.putInt(FileType.REGULAR.number()).putLong(0).putLong(1).putLong(2).putInt(132);
        var entry =
                new NameResult.ReadDir.Entry(
                        3,
                        FileName.of("name"),
                        EncodedAttributes.of(
                                AttributeSet.of(
                                        Attribute.TYPE,
                                        Attribute.SIZE,
                                        Attribute.FSID,
                                        Attribute.FILEHANDLE),
                                values.array()));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.READDIR)
                .answer(Result.done(Opcode.PUTFH), new NameResult.ReadDir(1, List.of(entry), true));
        var failure = assertThrows(ExecutionException.class, listing::get);
        assertInstanceOf(RpcException.BadReply.class, failure.getCause());
    }

    @Test
    void aLeaseThatIsNotToldIsMalformed() throws Exception {
        server.hand(Opcode.RECLAIM_COMPLETE);
        Future<Nfs4Service> connecting = server.calling(server::connect);
        server.next(Opcode.SEQUENCE, Opcode.PUTROOTFH, Opcode.GETATTR, Opcode.RECLAIM_COMPLETE)
                .answer(
                        Result.done(Opcode.PUTROOTFH),
                        new AttributeResult.GetAttr(EncodedAttributes.NONE),
                        Result.done(Opcode.RECLAIM_COMPLETE));
        var failure = assertThrows(ExecutionException.class, connecting::get);
        assertInstanceOf(RpcException.BadReply.class, failure.getCause());
    }
}
