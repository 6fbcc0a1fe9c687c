package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a server that has no exclusive creation, or one that gives others rights, makes files all
 * the same, and others can never open one of them. Method: a server by hand, over RDMA.
 */
@Timeout(60)
class RefusedCreationsTest {
    private static final FileHandle DIRECTORY = new FileHandle(new byte[] {1, 2, 3, 4});
    private static final FileHandle FILE = new FileHandle(new byte[] {5, 6, 7, 8, 9});
    private static final RemotePlace PLACE = new RemotePlace(DIRECTORY, "file");
    private static final AttributeChanges MODE = AttributeChanges.ofMode(0600);
    private static final ChangeInfo CHANGE = new ChangeInfo(true, 1, 1);

    private ServerByHand server;
    private Nfs4Service service;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerByHand();
        service = server.connect();
    }

    @AfterEach
    void stop() {
        service.close();
        server.close();
    }

    private static OpenCreation creation(HandedCall call) {
        return ((StateArguments.Open) call.operations().get(2)).creation();
    }

    private static Result opened() {
        return new StateResult.Open(
                new StateId(1, 2, 3), CHANGE, 0, AttributeSet.NONE, new OpenDelegation.None());
    }

    private static Result told(int mode) {
        return new AttributeResult.GetAttr(
                EncodedAttributes.of(
                        AttributeSet.of(
                                Attribute.TYPE, Attribute.SIZE, Attribute.FSID, Attribute.MODE),
                        ByteBuffer.allocate(2 * Integer.BYTES + 3 * Long.BYTES)
                                .putInt(FileType.REGULAR.number())
                                .putLong(0)
                                .putLong(1)
                                .putLong(1)
                                .putInt(mode)
                                .array()));
    }

    private static final Result HANDLE = new HandleResult.GetFh(Nfs4Values.handle(FILE));
    private static final Result AT = Result.done(Opcode.PUTFH);
    private static final Result CLOSED = new StateResult.Close(StateId.INVALID);

    private HandedCall making() throws Exception {
        var call = server.next();
        assertEquals(Opcode.OPEN, call.opcodes().get(2));
        return call;
    }

    private <T> T ended(Future<T> call) throws Exception {
        return call.get(20, TimeUnit.SECONDS);
    }

    private void requireGuarded(HandedCall call) {
        var guarded = assertInstanceOf(OpenCreation.Guarded.class, creation(call));
        assertEquals(Nfs4Values.changes(MODE), guarded.attributes());
        call.answer(AT, opened(), HANDLE, told(0600), CLOSED);
    }

    private Callable<Optional<FileHandle>> file() {
        return () -> service.makeFile(PLACE, MODE, true, "no").handle();
    }

    @ParameterizedTest
    @EnumSource(names = {"NOTSUPP", "ATTRNOTSUPP", "INVAL"})
    void aServerWithoutExclusiveCreationIsAskedOnce(Nfs4Status status) throws Exception {
        var first = server.calling(file());
        var refused = making();
        var asked = assertInstanceOf(OpenCreation.ExclusiveWithAttributes.class, creation(refused));
        assertEquals(Nfs4Values.changes(MODE), asked.attributes());
        refused.answer(AT, Result.failed(Opcode.OPEN, status));
        requireGuarded(making());
        assertEquals(Optional.of(FILE), ended(first));
        var second = server.calling(file());
        requireGuarded(making());
        assertEquals(Optional.of(FILE), ended(second));
    }

    private void requireRemoved() throws Exception {
        var removing =
                server.next(
                        Opcode.SEQUENCE,
                        Opcode.PUTFH,
                        Opcode.LOOKUP,
                        Opcode.VERIFY,
                        Opcode.PUTFH,
                        Opcode.REMOVE);
        var verified = (AttributeArguments.Verify) removing.operations().get(3);
        assertTrue(verified.attributes().attributes().has(Attribute.FILEHANDLE));
        removing.answer(
                AT,
                Result.done(Opcode.LOOKUP),
                Result.done(Opcode.VERIFY),
                AT,
                new NameResult.Remove(CHANGE));
    }

    @Test
    void aFileThatOthersCouldOpenIsRemovedAndMadeInAnotherWay() throws Exception {
        var first = server.calling(file());
        making().answer(AT, opened(), HANDLE, told(0644), CLOSED);
        requireRemoved();
        requireGuarded(making());
        assertEquals(Optional.of(FILE), ended(first));
    }

    @Test
    void nothingIsWrittenToAFileThatOthersCouldOpen() throws Exception {
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(9);
            var first = server.calling(() -> service.makeFilled(PLACE, MODE, data, "no"));
            var open = making();
            assertEquals(Opcode.VERIFY, open.opcodes().get(5));
            assertEquals(Opcode.WRITE, open.opcodes().get(6));
            open.answer(
                    AT,
                    opened(),
                    HANDLE,
                    told(0644),
                    Result.failed(Opcode.VERIFY, Nfs4Status.NOT_SAME));
            requireRemoved();
            var guarded = making();
            assertInstanceOf(OpenCreation.Guarded.class, creation(guarded));
            guarded.answer(
                    AT,
                    opened(),
                    HANDLE,
                    told(0600),
                    new DataResult.Write(9, Stability.FILE_SYNC, 1),
                    CLOSED);
            assertEquals(9, ended(first).written().count());
        }
    }

    /** Times are told that nobody has set. */
    @Test
    void whatAnExclusiveCreationHasNotSetIsSetAfterwards() throws Exception {
        var first = server.calling(() -> service.makeFile(PLACE, MODE, true, "no").attributes());
        making().answer(AT, opened(), HANDLE, told(0), CLOSED);
        var setting = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.SETATTR, Opcode.GETATTR);
        var set = (AttributeArguments.SetAttr) setting.operations().get(2);
        assertEquals(Nfs4Values.changes(MODE), set.attributes());
        setting.answer(
                AT,
                new AttributeResult.SetAttr(Nfs4Status.OK, AttributeSet.of(Attribute.MODE)),
                told(0600));
        assertEquals(0600, ended(first).orElseThrow().mode());
    }
}
