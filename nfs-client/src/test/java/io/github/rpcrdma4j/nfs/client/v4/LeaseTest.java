package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.session.SessionRefused;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments.Locker;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: a client of version 4.0 numbers what its owners do, sends nothing again that a server might
 * carry out twice, and asks for attributes so that no change is lost for them. Method: at a server
 * that the test operates by hand.
 */
@Timeout(120)
class LeaseTest {
    private static final FileHandle FILE = new FileHandle(new byte[32]);
    private static final RemotePlace ONE = new RemotePlace(FILE, "one");
    private static final RemotePlace TWO = new RemotePlace(FILE, "two");
    private static final AttributeChanges MODE = AttributeChanges.ofMode(0600);
    private static final int SECONDS = 20;

    private static final Set<Opcode> CHANGES =
            EnumSet.of(
                    Opcode.OPEN,
                    Opcode.OPEN_CONFIRM,
                    Opcode.CLOSE,
                    Opcode.LOCK,
                    Opcode.LOCKU,
                    Opcode.CREATE,
                    Opcode.LINK,
                    Opcode.REMOVE,
                    Opcode.RENAME);

    private ServerByHand server;
    private Nfs4Service service;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerByHand();
        service = server.connect(NfsVersion.VERSION_4_0, 4096);
    }

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    private <T extends Throwable> Future<T> failing(Class<T> type, Executable call) {
        return server.calling(() -> assertThrows(type, call));
    }

    private static <T> T ended(Future<T> call) throws Exception {
        return call.get(SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the attributes that no file is without. */
    private static AttributeResult.GetAttr attributes() {
        var values = ByteBuffer.allocate(28).putInt(FileType.REGULAR.number()).array();
        return new AttributeResult.GetAttr(
                EncodedAttributes.of(
                        AttributeSet.of(Attribute.TYPE, Attribute.SIZE, Attribute.FSID), values));
    }

    private static HandleResult.GetFh handle() {
        return new HandleResult.GetFh(Nfs4Values.handle(FILE));
    }

    private void find() throws Exception {
        var finding = server.calling(() -> service.lookup(ONE, "no"));
        server.next(Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETFH, Opcode.GETATTR)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.done(Opcode.LOOKUP),
                        handle(),
                        attributes());
        assertEquals(FILE, ended(finding).handle());
    }

    private HandedCall nextOpen() throws Exception {
        return server.next(Opcode.PUTFH, Opcode.OPEN, Opcode.GETFH);
    }

    private static StateArguments.Open open(HandedCall call) {
        return (StateArguments.Open) call.operations().get(1);
    }

    private OpenFile opened() throws Exception {
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.BOTH, "no"));
        nextOpen().answerAsServer();
        return ended(opening);
    }

    @Test
    @Tag("8267-6.5.1-2")
    void theClientNamesWhereItIsCalledBack() {
        var named = server.received(LeaseArguments.SetClientId.class).getFirst().callback();
        assertEquals("tcp", named.netId().toString());
        // It has no program for callbacks.
        assertEquals("0.0.0.0.0.0", named.address().toString());
        assertEquals(0, named.program());
        assertEquals(1, server.received(LeaseArguments.SetClientIdConfirm.class).size());
    }

    @Test
    void theOperationsOfAnOwnerAreNumbered() throws Exception {
        find();
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.READ, "no"));
        var first = nextOpen();
        assertEquals(0, open(first).sequence());
        assertEquals(StateArguments.Open.READ, open(first).access());
        first.answer(
                Result.done(Opcode.PUTFH),
                new StateResult.Open(
                        new StateId(1, 2, 3),
                        new ChangeInfo(true, 1, 1),
                        StateResult.Open.CONFIRM,
                        AttributeSet.NONE,
                        new OpenDelegation.None()),
                handle());
        var confirming = server.next(Opcode.PUTFH, Opcode.OPEN_CONFIRM);
        assertEquals(
                new StateArguments.OpenConfirm(new StateId(1, 2, 3), 1),
                confirming.operations().getLast());
        var confirmed = new StateId(2, 2, 3);
        confirming.answer(Result.done(Opcode.PUTFH), new StateResult.OpenConfirm(confirmed));
        ended(opening).close();
        var close = server.received(StateArguments.Close.class).getLast();
        assertEquals(new StateArguments.Close(2, confirmed), close);
        // The owner is known now, and opens the next file.
        var again = server.calling(() -> service.open(FILE, OpenFile.Mode.READ, "no"));
        var second = nextOpen();
        assertEquals(3, open(second).sequence());
        assertEquals(open(first).owner(), open(second).owner());
        second.answerAsServer();
        ended(again).close();
    }

    @Test
    void theFirstLockHasTheNumbersOfBothOwners() throws Exception {
        find();
        var file = opened();
        var locking =
                server.calling(() -> service.lock(file, LockRange.ALL, true, Duration.ZERO, "no"));
        var lock = server.next(Opcode.PUTFH, Opcode.LOCK);
        var locker = (Locker.NewOwner) ((LockArguments.Lock) lock.operations().getLast()).locker();
        assertEquals(1, locker.openSequence());
        assertEquals(0, locker.lockSequence());
        var held = new StateId(1, 4, 5);
        lock.answer(Result.done(Opcode.PUTFH), new LockResult.Lock(held));
        assertTrue(ended(locking));
        var unlocking =
                server.calling(
                        () -> {
                            service.unlock(file, LockRange.ALL, "no");
                            return null;
                        });
        var unlock = server.next(Opcode.PUTFH, Opcode.LOCKU);
        var sent = (LockArguments.LockU) unlock.operations().getLast();
        assertEquals(1, sent.sequence());
        assertEquals(held, sent.lock());
        unlock.answer(Result.done(Opcode.PUTFH), new LockResult.LockU(held.withSequence(2)));
        ended(unlocking);
        file.close();
        var released = server.received(LeaseArguments.ReleaseLockOwner.class).getLast();
        assertEquals(locker.owner(), released.owner());
    }

    @Test
    void anOwnerThatTheServerCountsInAnotherWayIsReplaced() throws Exception {
        find();
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.READ, "no"));
        var first = nextOpen();
        first.answer(Result.done(Opcode.PUTFH), Result.failed(Opcode.OPEN, Nfs4Status.BAD_SEQID));
        var second = nextOpen();
        assertNotEquals(open(first).owner(), open(second).owner());
        second.answerAsServer();
        ended(opening).close();
    }

    /** The server carries it out once, whether or not it has carried out the first copy. */
    @Test
    void anOpenWithoutAnAnswerIsSentAgainWithItsNumberAndClosed() throws Exception {
        find();
        var opening =
                failing(
                        OutcomeUnknownException.class,
                        () -> service.open(FILE, OpenFile.Mode.READ, "no"));
        var first = nextOpen();
        first.refuseChunks();
        ended(opening);
        var second = nextOpen();
        assertEquals(open(first), open(second));
        server.hand(Opcode.CLOSE);
        second.answerAsServer();
        var close = server.next(Opcode.PUTFH, Opcode.CLOSE);
        server.handNoMore();
        close.answerAsServer();
    }

    @Test
    void aLockWithoutAnAnswerIsSentAgainBeforeAnythingElse() throws Exception {
        find();
        var file = opened();
        var locking =
                failing(
                        OutcomeUnknownException.class,
                        () -> service.lock(file, LockRange.ALL, true, Duration.ZERO, "no"));
        var first = server.next(Opcode.PUTFH, Opcode.LOCK);
        first.refuseChunks();
        ended(locking);
        var again =
                server.calling(() -> service.lock(file, LockRange.ALL, true, Duration.ZERO, "no"));
        var second = server.next(Opcode.PUTFH, Opcode.LOCK);
        assertEquals(first.operations(), second.operations());
        second.answer(Result.done(Opcode.PUTFH), new LockResult.Lock(new StateId(1, 4, 5)));
        var third = server.next(Opcode.PUTFH, Opcode.LOCK);
        third.answer(Result.done(Opcode.PUTFH), new LockResult.Lock(new StateId(2, 4, 5)));
        assertTrue(ended(again));
        server.hand(Opcode.CLOSE);
        var closing = server.calling(() -> closed(file));
        var close = server.next(Opcode.PUTFH, Opcode.LOCKU, Opcode.CLOSE);
        server.handNoMore();
        close.answer(
                Result.done(Opcode.PUTFH),
                new LockResult.LockU(new StateId(3, 4, 5)),
                new StateResult.Close(StateId.INVALID));
        ended(closing);
    }

    private static Void closed(OpenFile file) {
        file.close();
        return null;
    }

    /** The name is that of another file now. */
    @Test
    void aFileWhoseNameIsGoneIsUsedWithoutBeingOpen() throws Exception {
        find();
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.READ, "no"));
        var other = new HandleResult.GetFh(Nfs4Values.handle(new FileHandle(new byte[] {9})));
        nextOpen()
                .answer(
                        Result.done(Opcode.PUTFH),
                        new StateResult.Open(
                                new StateId(1, 2, 3),
                                new ChangeInfo(true, 1, 1),
                                0,
                                AttributeSet.NONE,
                                new OpenDelegation.None()),
                        other);
        try (var file = ended(opening)) {
            var refused =
                    assertThrows(
                            NfsException.class,
                            () -> service.lock(file, LockRange.ALL, false, Duration.ZERO, "no"));
            assertEquals(Status.NOTSUPP, refused.status());
        }
    }

    /** Changes of names, each in one call that must not be made twice. */
    private Map<String, Executable> changes() {
        var all = new LinkedHashMap<String, Executable>();
        all.put("rename", () -> service.rename(ONE, TWO, "no"));
        all.put("remove", () -> service.remove(ONE, "no"));
        all.put("removeDirectory", () -> service.removeDirectory(ONE, "no"));
        all.put("link", () -> service.link(FILE, TWO, "no"));
        all.put("makeDirectory", () -> service.makeDirectory(ONE, MODE, "no"));
        all.put("makeLink", () -> service.makeLink(ONE, PathName.of("x"), "no"));
        all.put("makeNode", () -> service.makeNode(ONE, FileType.FIFO, MODE, 0, 0, "no"));
        all.put("changeAndRename", () -> service.changeAndRename(FILE, MODE, ONE, TWO, "no", "no"));
        return all;
    }

    private static void requireNoAttributesBehindAChange(String name, HandedCall call) {
        boolean isBehind = false;
        for (var opcode : call.opcodes()) {
            isBehind |= CHANGES.contains(opcode);
            assertFalse(isBehind && opcode == Opcode.GETATTR, () -> name + call.opcodes());
        }
        assertTrue(isBehind, name);
    }

    /** An error of the transport is no proof that the change was not made. */
    @Test
    @Tag("8267-6.2.1-2")
    void noChangeIsMadeWithAttributesBehindItOrMadeAgain() throws Exception {
        for (var each : changes().entrySet()) {
            var ending = failing(OutcomeUnknownException.class, each.getValue());
            var call = server.next();
            requireNoAttributesBehindAChange(each.getKey(), call);
            call.refuseChunks();
            ended(ending);
            assertEquals(0, server.waiting(), each::getKey);
        }
        var making = server.calling(() -> service.makeFile(ONE, MODE, true, "no"));
        var call = nextOpen();
        requireNoAttributesBehindAChange("makeFile", call);
        call.answerAsServer();
        server.next(Opcode.PUTFH, Opcode.GETATTR).answer(Result.done(Opcode.PUTFH), attributes());
        // The server has not said that it has set the mode.
        server.next(Opcode.PUTFH, Opcode.SETATTR, Opcode.GETATTR)
                .answer(
                        Result.done(Opcode.PUTFH),
                        new AttributeResult.SetAttr(Nfs4Status.OK, AttributeSet.NONE),
                        attributes());
        assertTrue(ended(making).attributes().isPresent());
    }

    @Test
    @Tag("8267-6.2.1-1")
    @Tag("8267-3.1-2")
    @Tag("8267-3.1-3")
    void attributesThatAreTooLongAreAskedForOnceMoreWithMoreRoom() throws Exception {
        var asking = server.calling(() -> service.attributes(FILE, "no"));
        var first = server.next(Opcode.PUTFH, Opcode.GETATTR);
        first.refuseChunks();
        var second = server.next(Opcode.PUTFH, Opcode.GETATTR);
        assertTrue(
                second.header().replyBytes() > first.header().replyBytes() + (32 << 10),
                () -> "room: " + second.header().replyBytes());
        second.answer(Result.done(Opcode.PUTFH), attributes());
        assertEquals(FileType.REGULAR, ended(asking).type());

        var failing =
                failing(RpcException.TransportRefused.class, () -> service.attributes(FILE, "no"));
        server.next(Opcode.PUTFH, Opcode.GETATTR).refuseChunks();
        server.next(Opcode.PUTFH, Opcode.GETATTR).refuseChunks();
        ended(failing);
        assertEquals(0, server.waiting());
    }

    @Test
    @Tag("8267-6.2.1-3")
    void attributesThatMayBeLongHaveAReplyChunk() throws Exception {
        var asking = failing(NfsException.class, () -> service.acls(FILE, AclLists.ALL, 1, "no"));
        var call = server.next(Opcode.PUTFH, Opcode.GETATTR);
        assertTrue(call.header().replyBytes() > 32 << 10, () -> call.header().toString());
        call.fail(Nfs4Status.STALE);
        ended(asking);
    }

    /** A server may have carried out the first copy, and not remember it. */
    @Test
    void aSecondCopyOfAChangeThatIsRefusedLeavesTheOutcomeUnknown() throws Exception {
        for (var each : changes().entrySet()) {
            var ending = failing(OutcomeUnknownException.class, each.getValue());
            server.next().cut();
            server.next().fail(Nfs4Status.STALE);
            var told = ended(ending);
            assertEquals(
                    "no: it is not known whether the server has done it: the connection was lost,"
                            + " and now "
                            + Status.STALE.description(),
                    told.getMessage());
        }
    }

    @Test
    void aSecondCopyThatSucceedsIsASuccess() throws Exception {
        var removing =
                server.calling(
                        () -> {
                            service.remove(ONE, "no");
                            return null;
                        });
        server.next().cut();
        server.next(Opcode.PUTFH, Opcode.LOOKUP, Opcode.NVERIFY, Opcode.PUTFH, Opcode.REMOVE)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.done(Opcode.LOOKUP),
                        Result.done(Opcode.NVERIFY),
                        Result.done(Opcode.PUTFH),
                        new NameResult.Remove(new ChangeInfo(true, 1, 2)));
        ended(removing);
    }

    @Test
    void aSecondCopyOfAQuestionIsRefusedAsTheFirstOne() throws Exception {
        var asking = failing(NfsException.class, () -> service.attributes(FILE, "no"));
        server.next().cut();
        server.next().fail(Nfs4Status.STALE);
        assertEquals(Status.STALE, ended(asking).status());
    }

    /** The server still has the client, so only the file is opened once more. */
    @Test
    void aStateIdThatTheServerDoesNotKnowIsDoubtedFirst() throws Exception {
        find();
        var file = opened();
        server.hand(Opcode.RENEW);
        var locking =
                server.calling(() -> service.lock(file, LockRange.ALL, true, Duration.ZERO, "no"));
        server.next(Opcode.PUTFH, Opcode.LOCK)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.failed(Opcode.LOCK, Nfs4Status.STALE_STATEID));
        server.next(Opcode.RENEW).answerAsServer();
        server.next(Opcode.PUTFH, Opcode.LOCK)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.failed(Opcode.LOCK, Nfs4Status.STALE_STATEID));
        server.next(Opcode.RENEW).answerAsServer();
        nextOpen().answerAsServer();
        server.next(Opcode.PUTFH, Opcode.LOCK)
                .answer(Result.done(Opcode.PUTFH), new LockResult.Lock(new StateId(1, 4, 5)));
        assertTrue(ended(locking));
        assertEquals(1, server.received(LeaseArguments.SetClientId.class).size());
        server.handNoMore();
        server.hand(Opcode.CLOSE);
        var closing = server.calling(() -> closed(file));
        var close = server.next(Opcode.PUTFH, Opcode.LOCKU, Opcode.CLOSE);
        server.handNoMore();
        close.fail(Nfs4Status.STALE);
        ended(closing);
    }

    /** What has expired is not claimed, and the client begins anew. */
    @Test
    void anExpiredClientIntroducesItselfWithAnotherVerifier() throws Exception {
        find();
        var file = opened();
        var locking =
                server.calling(() -> service.lock(file, LockRange.ALL, true, Duration.ZERO, "no"));
        server.next(Opcode.PUTFH, Opcode.LOCK)
                .answer(Result.done(Opcode.PUTFH), Result.failed(Opcode.LOCK, Nfs4Status.EXPIRED));
        nextOpen().answerAsServer();
        server.next(Opcode.PUTFH, Opcode.LOCK)
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.failed(Opcode.LOCK, Nfs4Status.LOCK_RANGE));
        assertThrows(Exception.class, () -> ended(locking));
        var introductions = server.received(LeaseArguments.SetClientId.class);
        assertEquals(2, introductions.size());
        var first = introductions.getFirst().owner();
        var second = introductions.getLast().owner();
        assertEquals(first.name(), second.name());
        assertNotEquals(first.verifier(), second.verifier());
        file.close();
    }

    @Test
    void aServerWithoutTheVersionIsToldApart() {
        assertTrue(
                Nfs4Service.isOtherVersion(
                        new SessionRefused(Opcode.SETCLIENTID, Nfs4Status.MINOR_VERS_MISMATCH)));
        IOException refused = new SessionRefused(Opcode.SETCLIENTID, Nfs4Status.CLID_INUSE);
        assertEquals(
                "the server refuses this client: SETCLIENTID failed with CLID_INUSE",
                refused.getMessage());
    }
}
