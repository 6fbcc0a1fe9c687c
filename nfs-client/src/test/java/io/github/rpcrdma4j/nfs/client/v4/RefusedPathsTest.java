package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SecurityChoice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where a server refuses a path, the user learns what it wants, by one call more, and nothing
 * is followed. Method: a server that the test operates by hand.
 */
@Timeout(120)
class RefusedPathsTest {
    private static final FileHandle FILE = new FileHandle(new byte[32]);
    private static final FileName NAME = FileName.of("name");
    private static final RemotePlace PLACE = new RemotePlace(FILE, NAME);
    private static final int SECONDS = 20;

    private ServerByHand server;
    private Nfs4Service service;

    private void connect(NfsVersion version) throws Exception {
        server = new ServerByHand();
        service = server.connect(version, 1024);
    }

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    private Future<NfsException> failing(Callable<?> call) {
        return server.calling(() -> assertThrows(NfsException.class, call::call));
    }

    private static NfsException ended(Future<NfsException> call) throws Exception {
        return call.get(SECONDS, TimeUnit.SECONDS);
    }

    private void refuse(Nfs4Status status, Opcode... opcodes) throws Exception {
        server.next(opcodes)
                .answer(Result.done(Opcode.PUTFH), Result.failed(Opcode.LOOKUP, status));
    }

    private void refuseLookup(Nfs4Status status) throws Exception {
        refuse(status, Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETFH, Opcode.GETATTR);
    }

    private static final String WANTS_SYS =
            "cannot do: the server wants another flavor of security: --sec sys";

    private static List<SecurityChoice> sys() {
        return List.of(new SecurityChoice.Flavor(1));
    }

    @Test
    void aNameThatWantsAnotherFlavorIsAskedForItsFlavors() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        var looking = failing(() -> service.lookup(PLACE, "cannot do"));
        refuseLookup(Nfs4Status.WRONGSEC);
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.SECINFO)
                .answer(Result.done(Opcode.PUTFH), new HandleResult.SecInfo(sys()));
        var failure = ended(looking);
        assertEquals(Status.WRONGSEC, failure.status());
        assertEquals(WANTS_SYS, failure.getMessage());
        assertEquals(0, server.waiting());
    }

    @Test
    void aRootThatWantsAnotherFlavorIsAskedWithoutAName() throws Exception {
        connect(NfsVersion.VERSION_4_1);
        var mounting = failing(() -> service.mountFor(PathName.of("/")));
        server.next(Opcode.SEQUENCE, Opcode.PUTROOTFH, Opcode.GETFH, Opcode.GETATTR)
                .fail(Nfs4Status.WRONGSEC);
        server.next(Opcode.SEQUENCE, Opcode.PUTROOTFH, Opcode.SECINFO_NO_NAME)
                .answer(Result.done(Opcode.PUTROOTFH), new HandleResult.SecInfoNoName(sys()));
        assertEquals(
                WANTS_SYS.replace("cannot do", "cannot mount /"), ended(mounting).getMessage());
    }

    /** Some servers refuse the question, too, although they must not. */
    @Test
    void aRefusedQuestionLeavesTheFirstFailure() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        for (var status : List.of(Nfs4Status.WRONGSEC, Nfs4Status.NOENT, Nfs4Status.OP_ILLEGAL)) {
            var looking = failing(() -> service.lookup(PLACE, "cannot do"));
            refuseLookup(Nfs4Status.WRONGSEC);
            server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.SECINFO).fail(status);
            var failure = ended(looking);
            assertEquals(Status.WRONGSEC, failure.status());
            assertEquals(Status.WRONGSEC.description(), failure.reason());
        }
    }

    @Test
    void otherFailuresAskNothing() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        for (var status : List.of(Nfs4Status.ACCESS, Nfs4Status.NOENT, Nfs4Status.STALE)) {
            var looking = failing(() -> service.lookup(PLACE, "cannot do"));
            refuseLookup(status);
            ended(looking);
            assertEquals(0, server.waiting());
        }
    }

    private static Result places(String server) {
        // root: /here; one location of one server at /there.
        byte[] name = server.getBytes(StandardCharsets.US_ASCII);
        var values = ByteBuffer.allocate(256);
        values.putInt(1).putInt(4).put(new byte[] {'h', 'e', 'r', 'e'});
        values.putInt(1).putInt(1).putInt(name.length).put(name);
        values.put(new byte[(4 - name.length % 4) % 4]);
        values.putInt(1).putInt(5).put(new byte[] {'t', 'h', 'e', 'r', 'e', 0, 0, 0});
        byte[] bytes = new byte[values.position()];
        values.flip().get(bytes);
        return new AttributeResult.GetAttr(
                EncodedAttributes.of(AttributeSet.of(Attribute.FS_LOCATIONS), bytes));
    }

    private static boolean asksForPlaces(HandedCall call) {
        return call.operations().getLast() instanceof AttributeArguments.GetAttr(var wanted)
                && wanted.equals(AttributeSet.of(Attribute.FS_LOCATIONS));
    }

    /** Places have no maximum: they are asked for alone, with a Reply chunk. */
    @Test
    @Tag("8267-6.2-3")
    void aFileSystemThatHasMovedIsAskedForItsPlaces() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        var looking = failing(() -> service.lookup(PLACE, "cannot do"));
        server.next()
                .answer(
                        Result.done(Opcode.PUTFH),
                        Result.done(Opcode.LOOKUP),
                        Result.failed(Opcode.GETFH, Nfs4Status.MOVED));
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETATTR);
        assertTrue(asksForPlaces(call));
        assertTrue(call.header().replyBytes() >= 64 << 10, call.header()::toString);
        call.answer(Result.done(Opcode.PUTFH), Result.done(Opcode.LOOKUP), places("other.example"));
        var failure = ended(looking);
        assertEquals(Status.MOVED, failure.status());
        assertEquals(
                "cannot do: it is at another server: other.example:/there; not followed",
                failure.getMessage());
        assertEquals(0, server.waiting());
    }

    @Test
    void anOpenDirectoryThatMovesTellsItsPlaces() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        var listing =
                failing(() -> service.list(FILE, 0, 0, DirectoryPage.Wanted.ALL, "cannot list"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.READDIR).fail(Nfs4Status.MOVED);
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR);
        assertTrue(asksForPlaces(call));
        call.answer(Result.done(Opcode.PUTFH), places("other.example"));
        assertTrue(ended(listing).getMessage().contains("other.example:/there"));
    }

    @Test
    void placesThatAreTooLongOrMalformedLeaveTheFirstFailure() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        var malformed =
                new AttributeResult.GetAttr(
                        EncodedAttributes.of(
                                AttributeSet.of(Attribute.FS_LOCATIONS),
                                new byte[] {127, -1, -1, -1}));
        for (var answer :
                List.of(Result.failed(Opcode.GETATTR, Nfs4Status.REP_TOO_BIG), malformed)) {
            var looking = failing(() -> service.lookup(PLACE, "cannot do"));
            refuseLookup(Nfs4Status.MOVED);
            server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETATTR)
                    .answer(Result.done(Opcode.PUTFH), Result.done(Opcode.LOOKUP), answer);
            assertEquals(Status.MOVED.description(), ended(looking).reason());
        }
    }

    private static NameResult.ReadDir.Entry entry(String name, long cookie, Nfs4Status error) {
        var values = ByteBuffer.allocate(4).putInt(error.number()).array();
        return new NameResult.ReadDir.Entry(
                cookie,
                FileName.of(name),
                EncodedAttributes.of(AttributeSet.of(Attribute.RDATTR_ERROR), values));
    }

    /** An entry that this client may not use must not hide the others, nor what is below it. */
    @Test
    void aRefusedEntryIsListedAsADirectoryAndAskedWhenItIsUsed() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        var listing =
                server.calling(
                        () -> service.list(FILE, 0, 0, DirectoryPage.Wanted.ALL, "cannot list"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.READDIR)
                .answer(
                        Result.done(Opcode.PUTFH),
                        new NameResult.ReadDir(
                                7,
                                List.of(
                                        entry("away", 3, Nfs4Status.MOVED),
                                        entry("secret", 4, Nfs4Status.WRONGSEC),
                                        entry("hidden", 6, Nfs4Status.ACCESS),
                                        entry("denied", 8, Nfs4Status.PERM),
                                        entry("broken", 5, Nfs4Status.IO)),
                                true));
        var entries = listing.get(SECONDS, TimeUnit.SECONDS).entries();
        assertTrue(entries.getLast().file().isEmpty());
        for (var each : entries.subList(0, 2)) {
            var file = each.file().orElseThrow();
            assertEquals(FileType.DIRECTORY, file.attributes().type());
            assertEquals(0, file.attributes().mode());
            var place = new RemotePlace(FILE, each.name());
            assertEquals(
                    Optional.of(new FileHandle.Refused(place, Optional.empty())),
                    file.handle().refused());
        }
        for (var each : entries.subList(2, 4)) {
            var why = each.cookie() == 6 ? Status.ACCES : Status.PERM;
            assertEquals(
                    Optional.of(why),
                    each.file().orElseThrow().handle().refused().flatMap(FileHandle.Refused::why));
        }
        var away = entries.get(0).file().orElseThrow().handle();
        assertFalse(away.equals(entries.get(1).file().orElseThrow().handle()));
        for (Callable<?> use :
                List.<Callable<?>>of(
                        () -> service.list(away, 0, 0, DirectoryPage.Wanted.ALL, "cannot do"),
                        () -> service.walk(away, List.of(NAME), "cannot do"),
                        () -> service.lookup(new RemotePlace(away, NAME), "cannot do"),
                        () -> service.attributes(away, "cannot do"))) {
            var using = failing(use);
            var looked = server.next();
            assertFalse(looked.has(Opcode.READDIR), looked.opcodes()::toString);
            looked.answer(
                    Result.done(Opcode.PUTFH), Result.failed(Opcode.LOOKUP, Nfs4Status.MOVED));
            server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETATTR)
                    .answer(Result.done(Opcode.PUTFH), Result.done(Opcode.LOOKUP), places("b"));
            assertEquals(
                    "cannot do: it is at another server: b:/there; not followed",
                    ended(using).getMessage());
        }
    }

    /** Version 4.0 has no SECINFO_NO_NAME. */
    @Test
    void aRootOfVersion40TellsNoFlavors() throws Exception {
        connect(NfsVersion.VERSION_4_0);
        var mounting =
                server.calling(
                        () ->
                                assertThrows(
                                        IOException.class,
                                        () -> service.mountFor(PathName.of("/"))));
        server.next(Opcode.PUTROOTFH, Opcode.GETFH, Opcode.GETATTR).fail(Nfs4Status.WRONGSEC);
        assertTrue(
                mounting.get(SECONDS, TimeUnit.SECONDS)
                        .getMessage()
                        .endsWith(Status.WRONGSEC.description()));
        assertEquals(0, server.waiting());
    }
}
