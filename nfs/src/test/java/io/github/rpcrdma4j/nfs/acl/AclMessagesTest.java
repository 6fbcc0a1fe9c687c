package io.github.rpcrdma4j.nfs.acl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.nfs.CapturedSends;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.acl.AclLists.Item;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Goal: the messages of NFSACL are those of other implementations. Method: messages that {@code
 * acl_vectors.py} packed, and those of Linux in recorded traffic.
 */
class AclMessagesTest {
    private static final FileHandle HANDLE = new FileHandle(new byte[] {1, 2, 3, 4, 5, 6, 7});
    private static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(Tag.USER_OBJ, 7),
                            new Entry(Tag.USER, 4242, 5),
                            new Entry(Tag.GROUP_OBJ, 4),
                            new Entry(Tag.GROUP, 4243, 2),
                            new Entry(Tag.MASK, 6),
                            new Entry(Tag.OTHER, 1)));
    private static final Listed ACCESS = Listed.of(ACL, 1001, 2001);
    private static final Listed OF_MODE = Listed.of(PosixAcl.ofMode(0750), 1001, 2001);
    private static final Optional<FileAttributes> ATTRIBUTES =
            Optional.of(
                    new FileAttributes(
                            FileType.DIRECTORY,
                            0761,
                            3,
                            1001,
                            2001,
                            4096,
                            8192,
                            0,
                            77,
                            88,
                            new Timestamp(10, 11),
                            new Timestamp(12, 13),
                            new Timestamp(14, 15)));

    private static final Acl3Call.GetAcl GET = new Acl3Call.GetAcl(HANDLE, AclLists.ALL);
    private static final Acl3Call.SetAcl SET =
            new Acl3Call.SetAcl(
                    HANDLE, new AclLists(AclLists.ACCESS | AclLists.DEFAULTS, ACCESS, OF_MODE));

    private static final Map<String, Acl3Call<?>> CALLS =
            Map.of(
                    "acl3-call-getacl", GET,
                    "acl3-call-setacl", SET,
                    "acl3-call-setacl-removes",
                            new Acl3Call.SetAcl(HANDLE, new AclLists(5, OF_MODE, Listed.NONE)));

    private static final Map<String, Nfs3Reply<Optional<FileAttributes>, AclLists>> LISTS =
            Map.of(
                    "acl3-reply-getacl",
                            new Nfs3Reply.Ok<>(
                                    ATTRIBUTES, new AclLists(AclLists.ALL, ACCESS, OF_MODE)),
                    "acl3-reply-getacl-counts",
                            new Nfs3Reply.Ok<>(
                                    ATTRIBUTES,
                                    new AclLists(10, ACCESS.counted(), OF_MODE.counted())),
                    "acl3-reply-getacl-failed",
                            new Nfs3Reply.Failed<>(Status.NOTSUPP, Optional.empty()));

    private static Acl3Call<?> call(Acl3Call.Procedure procedure, byte[] bytes)
            throws XdrException {
        return Acl3Call.decode(procedure, Golden.reader(bytes));
    }

    @Test
    void callsAreThoseOfTheLayout() throws Exception {
        for (var each : CALLS.entrySet()) {
            byte[] bytes = Golden.bytes(each.getKey());
            var call = each.getValue();
            assertArrayEquals(bytes, Golden.flat(call::encode), each.getKey());
            assertEquals(call, call(call.procedure(), bytes));
        }
    }

    @Test
    void repliesAreThoseOfTheLayout() throws Exception {
        for (var each : LISTS.entrySet()) {
            byte[] bytes = Golden.bytes(each.getKey());
            var reply = each.getValue();
            assertArrayEquals(
                    bytes, Golden.flat(out -> Acl3Call.encodeReply(out, reply)), each.getKey());
            assertEquals(reply, GET.decodeReply(Golden.reader(bytes)));
            assertTrue(bytes.length <= GET.resultsMax(6), each.getKey());
        }
        byte[] done = Golden.bytes("acl3-reply-setacl");
        var reply = new Nfs3Reply.Ok<>(ATTRIBUTES, Nothing.NOTHING);
        assertArrayEquals(done, Golden.flat(out -> Acl3Call.encodeReply(out, reply)));
        assertEquals(reply, SET.decodeReply(Golden.reader(done)));
        assertEquals(done.length, SET.resultsMax(1024));
    }

    @Test
    void theLongestListsHaveTheBoundOfTheBinding() {
        assertEquals(4 + 88 + 4 + 2 * (4 + 4) + 12 * 2048, GET.resultsMax(PosixAcl.ENTRIES_MAX));
    }

    @Test
    void numbersTheProcedures() {
        for (var procedure : Acl3Call.Procedure.values()) {
            assertEquals(procedure.ordinal(), procedure.number());
            assertEquals(Optional.of(procedure), Acl3Call.Procedure.of(procedure.number()));
        }
        assertEquals(Optional.empty(), Acl3Call.Procedure.of(3));
        assertEquals(Optional.empty(), Acl3Call.Procedure.of(-1));
    }

    @Test
    void aListReturnsWithoutTheMaskThatWasAddedForThePeer() {
        assertEquals(4, OF_MODE.count());
        assertEquals(Optional.of(PosixAcl.ofMode(0750)), OF_MODE.acl());
        assertEquals(Optional.of(ACL), ACCESS.acl());
        var masked =
                new PosixAcl(
                        List.of(
                                new Entry(Tag.USER_OBJ, 7),
                                new Entry(Tag.GROUP_OBJ, 5),
                                new Entry(Tag.MASK, 4),
                                new Entry(Tag.OTHER, 0)));
        assertEquals(Optional.of(masked), Listed.of(masked, 1, 2).acl());
    }

    /** Goal: entries in any order make a list, and Solaris may set further bits in a mask. */
    @Test
    void theOrderOfEntriesAndFurtherBitsOfAMaskDoNotMatter() {
        var items = new ArrayList<>(ACCESS.items().reversed());
        items.replaceAll(
                item ->
                        item.tag() == Tag.MASK
                                ? new Item(Tag.MASK, 0, item.permissions() | 0x100)
                                : item);
        assertEquals(Optional.of(ACL), new Listed(items.size(), items).acl());
    }

    @Test
    void entriesThatMakeUpNoListAreNone() {
        assertEquals(Optional.empty(), Listed.NONE.acl());
        for (var wrong :
                List.of(
                        new Item(Tag.USER, -1, 5),
                        new Item(Tag.USER, 4242, 5),
                        new Item(Tag.GROUP, 7, 8),
                        new Item(Tag.OTHER, 0, 1))) {
            var items = new ArrayList<>(ACCESS.items());
            items.add(wrong);
            assertEquals(Optional.empty(), new Listed(7, items).acl(), wrong::toString);
        }
        assertThrows(IllegalArgumentException.class, () -> new Listed(5, ACCESS.items()));
        assertThrows(IllegalArgumentException.class, () -> new Listed(1025, List.of()));
    }

    @Test
    void countsThatLieAreRefused() {
        for (int[] wrong :
                List.of(
                        new int[] {1025, 0}, // more than the limit
                        new int[] {-1, 0},
                        new int[] {0, 1}, // the count and the length
                        new int[] {2, 1},
                        new int[] {2, 2}, // more than the message has
                        new int[] {1024, 1 << 28})) {
            byte[] bytes =
                    Golden.flat(
                            out -> {
                                HANDLE.encode(out).uint32(1).uint32(wrong[0]).uint32(wrong[1]);
                                out.uint32(1).uint32(0).uint32(7).uint32(0).uint32(0);
                            });
            assertThrows(
                    XdrException.class,
                    () -> call(Acl3Call.Procedure.SETACL, bytes),
                    Arrays.toString(wrong));
        }
    }

    @Test
    void everyTruncationIsMalformed() {
        for (var each : CALLS.entrySet()) {
            byte[] bytes = Golden.bytes(each.getKey());
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThrows(XdrException.class, () -> call(each.getValue().procedure(), cut));
            }
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 4);
            assertThrows(XdrException.class, () -> call(each.getValue().procedure(), longer));
        }
        for (var name : LISTS.keySet()) {
            byte[] bytes = Golden.bytes(name);
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThrows(XdrException.class, () -> GET.decodeReply(Golden.reader(cut)));
            }
        }
    }

    private interface Decoding {
        void run(byte[] bytes) throws XdrException;
    }

    /** Returns how many damaged messages were decoded. */
    private static int damage(byte[] bytes, Decoding decoding) {
        int decoded = 0;
        for (int at = 0; at < bytes.length; at++) {
            for (int bits = 1; bits < 256; bits++) {
                byte[] damaged = bytes.clone();
                damaged[at] ^= (byte) bits;
                try {
                    decoding.run(damaged);
                    decoded++;
                } catch (XdrException _) {
                    // This is the value of a malformed message.
                }
            }
        }
        return decoded;
    }

    @Test
    void everyDamagedByteLeadsToAValue() {
        int decoded =
                damage(
                                Golden.bytes("acl3-call-setacl"),
                                bytes -> {
                                    var set = call(Acl3Call.Procedure.SETACL, bytes);
                                    assertInstanceOf(Acl3Call.SetAcl.class, set);
                                    ((Acl3Call.SetAcl) set).lists().access().acl();
                                })
                        + damage(
                                Golden.bytes("acl3-reply-getacl"),
                                bytes -> GET.decodeReply(Golden.reader(bytes)));
        assertTrue(decoded > 1000, "decoded: " + decoded);
    }

    @Test
    void everyListIsEqualAfterEncodingAndDecoding() throws Exception {
        for (long seed : Seeds.many(200).toArray()) {
            var random = new SplittableRandom(seed);
            var entries = new ArrayList<Entry>();
            entries.add(new Entry(Tag.USER_OBJ, random.nextInt(8)));
            entries.add(new Entry(Tag.GROUP_OBJ, random.nextInt(8)));
            entries.add(new Entry(Tag.OTHER, random.nextInt(8)));
            int more = random.nextBoolean() ? random.nextInt(1021) : 0;
            for (int i = 0; i < more; i++) {
                var tag = random.nextBoolean() ? Tag.USER : Tag.GROUP;
                entries.add(new Entry(tag, i << 20 | random.nextInt(1 << 20), random.nextInt(8)));
            }
            if (more > 0) {
                entries.add(new Entry(Tag.MASK, random.nextInt(8)));
            }
            var acl = new PosixAcl(entries);
            var sent = new AclLists(15, Listed.of(acl, random.nextInt(), 1), Listed.NONE);
            var got = AclLists.decode(Golden.reader(Golden.flat(sent::encode)));
            assertEquals(sent, got, "seed " + seed);
            assertEquals(Optional.of(acl), got.access().acl(), "seed " + seed);
        }
    }

    /** Goal: GETACL of Linux is read and written byte for byte. Its reply came in a Reply chunk. */
    @Test
    void decodesAndEncodesWhatLinuxSays() throws Exception {
        int calls = 0;
        for (var stream : Capture.named("linux-nfs3").streams()) {
            if (CapturedSends.isActive(stream.bytes())) {
                for (byte[] message : CapturedSends.of(stream.bytes())) {
                    calls += isAclCall(message) ? 1 : 0;
                }
            }
        }
        assertEquals(1, calls);
    }

    private static boolean isAclCall(byte[] message) throws XdrException {
        var received = Received.byResponder(MemorySegment.ofArray(message));
        if (!(received instanceof Received.Call call) || call.payload().byteSize() == 0) {
            return false;
        }
        var in = new XdrReader(call.payload());
        var header = CallHeader.decode(in);
        if (header.program() != NfsAcl.PROGRAM || header.procedure() == NfsAcl.NULL) {
            return false;
        }
        byte[] bytes = call.payload().asSlice(in.position()).toArray(ValueLayout.JAVA_BYTE);
        var decoded = call(Acl3Call.Procedure.of(header.procedure()).orElseThrow(), bytes);
        assertArrayEquals(bytes, Golden.flat(decoded::encode));
        return true;
    }
}
