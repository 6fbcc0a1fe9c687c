package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.XattrRule;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.ResultsBound;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: each call of a client of version 4 offers few chunks, and room for its longest reply, which
 * the session limits. Method: every call of the service, at a server that the test operates by
 * hand.
 */
@Timeout(120)
class OfferedChunksTest {
    private static final FileHandle FILE = new FileHandle(new byte[32]);
    private static final RemotePlace PLACE = new RemotePlace(FILE, "name");
    private static final AttributeChanges MODE = AttributeChanges.ofMode(0600);
    private static final int MIB = 1 << 20;
    private static final int SECONDS = 20;

    /** The most segments of a chunk that each server takes. */
    private static final int SEGMENTS_MAX = 16;

    /** The header of the transport without chunks, in bytes. */
    private static final int HEADER = 28;

    /** The header of a reply without a verifier, in bytes. */
    private static final int REPLY_HEADER = 24;

    /** Methods that make no call, or NULL. */
    private static final Set<String> NO_CALLS =
            Set.of(
                    "version",
                    "caller",
                    "ping",
                    "nearest",
                    "pipeline",
                    "openOnce",
                    "makesFilled",
                    "checksOpens",
                    "close");

    private ServerByHand server;
    private Nfs4Service service;

    private void connect(int inline, int messageMax) throws Exception {
        server = new ServerByHand(messageMax, Integer.MAX_VALUE);
        service = server.connect(NfsVersion.VERSION_4_2, inline);
    }

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    private static <T> T ended(Future<T> call) throws Exception {
        return call.get(SECONDS, TimeUnit.SECONDS);
    }

    private static MemorySegment memory(int length) {
        return Arena.ofAuto().allocate(length);
    }

    private OpenFile opened() throws Exception {
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.BOTH, "no"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN).answerAsServer();
        return ended(opening);
    }

    /** Returns calls of the service by its method: {@code "read: 1 MiB"}. */
    private Map<String, Executable> calls(OpenFile file, int dataMax) {
        var longest = FileName.of("x".repeat(600));
        var there = new RemotePlace(new FileHandle(new byte[128]), longest);
        var calls = new TreeMap<String, Executable>();
        calls.put("exports", () -> service.exports(PathName.of("/a/b/c")));
        calls.put("mountFor", () -> service.mountFor(PathName.of("/a/b/c")));
        calls.put("mount", () -> service.mount(PathName.of("/a/b/c")));
        calls.put("limits", () -> service.limits(FILE));
        calls.put("space", () -> service.space(FILE));
        calls.put("attributes", () -> service.attributes(FILE, "no"));
        calls.put("change", () -> service.change(FILE, MODE, "no"));
        calls.put("access", () -> service.access(FILE, Set.of(AccessRight.READ), "no"));
        calls.put("lookup", () -> service.lookup(there, "no"));
        calls.put("walk", () -> service.walk(FILE, Collections.nCopies(3, longest), "no"));
        calls.put("find", () -> service.find(PLACE, "no"));
        calls.put("list: names", () -> service.list(FILE, 0, 0, DirectoryPage.Wanted.NAMES, "no"));
        calls.put("list: files", () -> service.list(FILE, 0, 0, DirectoryPage.Wanted.ALL, "no"));
        calls.put("readLink", () -> service.readLink(FILE, "no"));
        calls.put("open", () -> service.open(FILE, OpenFile.Mode.READ, "no"));
        calls.put("read: few", () -> service.read(file, 0, memory(500), "no"));
        calls.put("read: all", () -> service.read(file, 0, memory(dataMax), "no"));
        calls.put(
                "write: few", () -> service.write(file, 0, Stability.UNSTABLE, memory(500), "no"));
        calls.put(
                "write: all",
                () -> service.write(file, 0, Stability.FILE_SYNC, memory(dataMax), "no"));
        calls.put(
                "writeAtEnd: few",
                () -> service.writeAtEnd(file, 0, Stability.UNSTABLE, memory(500), "no"));
        calls.put(
                "writeAtEnd: all",
                () -> service.writeAtEnd(file, 0, Stability.UNSTABLE, memory(dataMax), "no"));
        calls.put("truncate", () -> service.truncate(file, 0, "no"));
        calls.put("commit", () -> service.commit(file, 0, 0, "no"));
        calls.put("lock", () -> service.lock(file, LockRange.ALL, true, Duration.ZERO, "no"));
        calls.put("makeFile", () -> service.makeFile(there, MODE, true, "no"));
        calls.put("makeOpen", () -> service.makeOpen(there, MODE, true, OpenFile.Mode.BOTH, "no"));
        calls.put("makeDirectory", () -> service.makeDirectory(there, MODE, "no"));
        calls.put("makeLink: few", () -> service.makeLink(PLACE, PathName.of("x"), "no"));
        calls.put(
                "makeLink: all",
                () -> service.makeLink(there, PathName.of("x".repeat(4095)), "no"));
        calls.put("makeNode", () -> service.makeNode(there, FileType.FIFO, MODE, 0, 0, "no"));
        calls.put("link", () -> service.link(FILE, there, "no"));
        calls.put("remove", () -> service.remove(there, "no"));
        calls.put("removeDirectory", () -> service.removeDirectory(there, "no"));
        calls.put("rename", () -> service.rename(there, there, "no"));
        calls.put("share", () -> service.share(file, file, "no"));
        calls.put("copy", () -> service.copy(file, file, 0, 1, "no", _ -> {}));
        calls.put("seek", () -> service.seek(file, 0, true, "no"));
        calls.put("makeFilled: all", () -> service.makeFilled(there, MODE, memory(dataMax), "no"));
        calls.put(
                "changeAndRename",
                () -> service.changeAndRename(FILE, MODE, there, there, "no", "no"));
        calls.put("acls: few", () -> service.acls(FILE, AclLists.ALL, 1, "no"));
        calls.put("acls: all", () -> service.acls(FILE, AclLists.ALL, PosixAcl.ENTRIES_MAX, "no"));
        var xattrs = service.xattrs();
        calls.put("xattrs: kept", () -> xattrs.areKept(FILE, "no"));
        calls.put("xattrs: names", () -> xattrs.names(FILE, "no"));
        calls.put("xattrs: value", () -> xattrs.value(FILE, longest, "no"));
        calls.put(
                "xattrs: set",
                () -> xattrs.set(FILE, longest, new byte[1000], XattrRule.EITHER, "no"));
        calls.put("xattrs: remove", () -> xattrs.remove(FILE, longest, "no"));
        var lists = service.accessLists();
        calls.put("accessLists: kept", () -> lists.areKept(FILE, "no"));
        calls.put("accessLists: of", () -> lists.of(FILE, "no"));
        calls.put("accessLists: replace", () -> lists.replace(FILE, longList(), "no"));
        calls.put("changeAcls", () -> service.changeAcls(FILE, longLists(), "no"));
        return calls;
    }

    /** Returns a list that is longer than some thresholds. */
    private static List<AccessEntry> longList() {
        var entry =
                new AccessEntry(
                        AccessEntry.Type.ALLOW,
                        Set.of(),
                        Set.of(AccessEntry.Right.READ_DATA),
                        "user@domain.example");
        return Collections.nCopies(40, entry);
    }

    /** Returns lists that are longer than some thresholds. */
    private static AclLists longLists() {
        var entries =
                new ArrayList<>(
                        List.of(
                                new PosixAcl.Entry(PosixAcl.Tag.USER_OBJ, 7),
                                new PosixAcl.Entry(PosixAcl.Tag.GROUP_OBJ, 5),
                                new PosixAcl.Entry(PosixAcl.Tag.MASK, 7),
                                new PosixAcl.Entry(PosixAcl.Tag.OTHER, 0)));
        for (int i = 0; i < 20; i++) {
            entries.add(1 + i, new PosixAcl.Entry(PosixAcl.Tag.USER, 1000 + i, 4));
        }
        var list = AclLists.Listed.of(new PosixAcl(entries), 0, 0);
        return new AclLists(AclLists.ACCESS, list, AclLists.Listed.NONE);
    }

    /** Makes a call, refuses it, and returns what the server received. */
    private HandedCall refused(Executable call) throws Exception {
        var calling = server.calling(() -> assertThrows(IOException.class, call));
        var heard = server.next();
        if (heard.isLong()) {
            heard.refuseChunks();
        } else {
            heard.fail(Nfs4Status.ACCESS);
        }
        ended(calling);
        return heard;
    }

    @Test
    void eachMethodOfTheServiceIsTried() throws Exception {
        connect(1024, MIB);
        var tried =
                calls(null, 1).keySet().stream()
                        .map(each -> each.replaceFirst(":.*", ""))
                        .collect(Collectors.toCollection(TreeSet::new));
        // Without a lock it makes no call.
        tried.add("unlock");
        tried.addAll(NO_CALLS);
        var all =
                Arrays.stream(FileService.class.getMethods())
                        .map(Method::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(all, tried, "calls() is to have a call of each method");
    }

    @ParameterizedTest
    @CsvSource({"1024,1048576", "4096,1048576", "4096,8192", "1024,2048"})
    @Tag("8267-6.2-1")
    @Tag("8267-6.2-2")
    @Tag("8267-6.2.2-1")
    @Tag("8267-6.4.2-1")
    @Tag("8267-3-1")
    @Tag("8267-3-2")
    void eachCallOffersFewChunksWithRoomForItsLongestReply(int inline, int messageMax)
            throws Exception {
        connect(inline, messageMax);
        var file = opened();
        int longCalls = 0;
        for (var each : calls(file, messageMax - 1024).entrySet()) {
            var call = refused(each.getValue());
            requireFewChunks(each.getKey(), call);
            requireWithinSession(each.getKey(), call, messageMax);
            if (call.isLong()) {
                longCalls++;
            } else {
                requireRoom(each.getKey(), call, inline, messageMax);
            }
        }
        assertEquals(inline == 1024, longCalls > 0, "calls in Position-Zero Read chunks");
    }

    private static void requireFewChunks(String name, HandedCall call) {
        var header = call.header();
        long apart = header.reads().keySet().stream().filter(position -> position != 0).count();
        assertTrue(apart <= 1, () -> name + ": Read chunks " + header.reads());
        assertTrue(header.writes().size() <= 1, () -> name + ": Write chunks " + header.writes());
        for (int segments : header.reads().values()) {
            assertTrue(segments <= SEGMENTS_MAX, () -> name + ": Read chunks " + header.reads());
        }
        for (int segments : header.writes()) {
            assertTrue(segments <= SEGMENTS_MAX, () -> name + ": Write chunks " + header.writes());
        }
        assertTrue(
                header.reply().length() == 0 || header.reply().at(0) <= SEGMENTS_MAX,
                () -> name + ": Reply chunk " + header.reply());
    }

    /** The length of a reply counts its data, wherever that lies. */
    private static void requireWithinSession(String name, HandedCall call, int messageMax) {
        var header = call.header();
        int data = header.writeBytes().stream().mapToInt(each -> each).sum();
        assertTrue(
                header.replyBytes() + data <= messageMax,
                () -> name + ": Reply chunk " + header.replyBytes() + ", Write chunks " + data);
    }

    private static void requireRoom(String name, HandedCall call, int inline, int messageMax)
            throws Exception {
        var header = call.header();
        switch (call.resultsMax()) {
            case ResultsBound.Bytes(var bytes) -> {
                long most = REPLY_HEADER + bytes;
                long all = most + data(call);
                assertTrue(all <= messageMax, () -> name + " asks for " + all + " bytes");
                long needed = header.writes().isEmpty() ? all : most;
                long room =
                        header.reply().length() > 0
                                ? header.replyBytes()
                                : inline - HEADER - header.writeList().length() + Integer.BYTES;
                assertTrue(needed <= room, () -> name + ": " + needed + " bytes, room " + room);
            }
            case ResultsBound.Unbounded(_, var cause) ->
                    assertTrue(header.replyBytes() > 0, name + " asks for " + cause);
        }
    }

    /** Returns how many bytes of data a READ asks for. */
    private static long data(HandedCall call) {
        long bytes = 0;
        for (var each : call.operations()) {
            bytes += each instanceof DataArguments.Read read ? XdrWriter.roundUp(read.count()) : 0;
        }
        return bytes;
    }

    /**
     * Goal: the client never asks for what has no maximum and is of no use to it: for the places of
     * a file system only if it has moved ({@link RefusedPathsTest}).
     */
    @Test
    @Tag("8267-6.2-3")
    @Tag("8267-6.2-4")
    void noCallAsksForLocationsOrLayouts() throws Exception {
        connect(4096, MIB);
        var file = opened();
        for (var call : calls(file, MIB).values()) {
            refused(call);
        }
        var asked =
                server.received(Arguments.class).stream()
                        .map(OfferedChunksTest::wanted)
                        .reduce(AttributeSet.NONE, AttributeSet::or);
        assertTrue(asked.has(Attribute.OWNER), "the attributes were seen");
        for (var each :
                List.of(
                        Attribute.FS_LOCATIONS,
                        Attribute.FS_LOCATIONS_INFO,
                        Attribute.FS_STATUS,
                        Attribute.FS_LAYOUT_TYPES,
                        Attribute.LAYOUT_TYPES,
                        Attribute.MDSTHRESHOLD)) {
            assertFalse(asked.has(each), each::toString);
        }
        var opcodes =
                server.received(Arguments.class).stream()
                        .map(Arguments::opcode)
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Opcode.class)));
        assertTrue(opcodes.contains(Opcode.READDIR), "the operations were seen");
        for (var each : opcodes) {
            assertFalse(
                    each.name().startsWith("LAYOUT") || each.name().startsWith("GETDEVICE"),
                    each::toString);
        }
        var flags = server.received(SessionArguments.ExchangeId.class).getFirst().flags();
        assertEquals(
                SessionArguments.ExchangeId.USE_NON_PNFS
                        | SessionArguments.ExchangeId.SUPP_MOVED_REFER,
                flags);
    }

    private static AttributeSet wanted(Arguments operation) {
        return switch (operation) {
            case AttributeArguments.GetAttr(var wanted) -> wanted;
            case NameArguments.ReadDir list -> list.wanted();
            default -> AttributeSet.NONE;
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 500, 3000})
    @Tag("8267-6.4.1-1")
    void aReadWhoseDataFitsInlineHasAnEmptyWriteList(int count) throws Exception {
        connect(4096, MIB);
        var file = opened();
        var target = memory(count);
        var reading = server.calling(() -> service.read(file, 0, target, "no"));
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.READ);
        assertEquals(List.of(), call.header().writes());
        assertEquals(0, call.header().reply().length());
        var data = new byte[count];
        Arrays.fill(data, (byte) 7);
        call.answer(
                Result.done(Opcode.PUTFH),
                new DataResult.Read(true, MemorySegment.ofArray(data), () -> {}));
        assertEquals(count, ended(reading));
        assertEquals(-1, target.mismatch(MemorySegment.ofArray(data)));
    }

    @Test
    @Tag("8267-6.4.1-1")
    @Tag("8267-6.4.2-1")
    void aLongReadHasOneWriteChunkForItsData() throws Exception {
        connect(4096, MIB);
        var file = opened();
        var call = refused(() -> service.read(file, 0, memory(100_000), "no"));
        assertEquals(List.of(100_000), call.header().writeBytes());
        assertEquals(0, call.header().reply().length());
    }

    /** What the server cannot send by the limits of the session, nobody asks for again. */
    @Test
    @Tag("8267-6.2.2-1")
    void aReplyThatIsLongerThanTheSessionAllowsIsAFailureOfTheCallAlone() throws Exception {
        connect(4096, MIB);
        var asking =
                server.calling(
                        () ->
                                assertThrows(
                                        NfsException.class, () -> service.attributes(FILE, "no")));
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR);
        call.fail(Nfs4Status.REP_TOO_BIG);
        assertEquals(Status.TOOSMALL, ended(asking).status());
        assertEquals(0, server.waiting());
        var next = refused(() -> service.attributes(FILE, "no"));
        assertEquals(call.sequence().sequence() + 1, next.sequence().sequence());
    }

    /** Goal: values that are longer than a client expects cost nothing while they fit inline. */
    @ParameterizedTest
    @ValueSource(ints = {1, 128, 256, 1000, 1500})
    @Tag("8267-6.2-1")
    void longNamesOfOwnersAreTaken(int length) throws Exception {
        connect(4096, MIB);
        var asking = server.calling(() -> service.attributes(FILE, "no"));
        var name = new byte[length];
        Arrays.fill(name, (byte) 'x');
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR)
                .answer(Result.done(Opcode.PUTFH), new AttributeResult.GetAttr(owned(name)));
        assertEquals(65534, ended(asking).uid());
    }

    /** Returns the attributes that each file has, and long names of its owners. */
    private static EncodedAttributes owned(byte[] name) {
        var values = ByteBuffer.allocate(8192);
        values.putInt(FileType.REGULAR.number()).putLong(5).putLong(1).putLong(2);
        for (int i = 0; i < 2; i++) {
            values.putInt(name.length).put(name);
            values.position((int) XdrWriter.roundUp(values.position()));
        }
        return EncodedAttributes.of(
                AttributeSet.of(
                        Attribute.TYPE,
                        Attribute.SIZE,
                        Attribute.FSID,
                        Attribute.OWNER,
                        Attribute.OWNER_GROUP),
                MemorySegment.ofArray(values.array())
                        .asSlice(0, values.position())
                        .toArray(ValueLayout.JAVA_BYTE));
    }
}
