package io.github.rpcrdma4j.nfs.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: a walk ends for the right reason. Method: short COMPOUNDs by hand. */
class CompoundWalkTest {
    private static final int GETFH = 10;
    private static final int PUTFH = 22;
    private static final int PUTROOTFH = 24;
    private static final int READ = 25;
    private static final int REMOVE = 28;
    private static final int SETCLIENTID = 35;
    private static final int BACKCHANNEL_CTL = 40;
    private static final int CREATE_SESSION = 43;
    private static final int SEQUENCE = 53;
    private static final int GETXATTR = 72;
    private static final int CB_RECALL_SLOT = 10;
    private static final int ILLEGAL = 10044;
    private static final int NOENT = 2;

    private static XdrReader reader(int... words) {
        var bytes = ByteBuffer.allocate(words.length * Integer.BYTES);
        for (int word : words) {
            bytes.putInt(word);
        }
        return new XdrReader(MemorySegment.ofArray(bytes.array()));
    }

    private static CompoundCall call(int... words) {
        return CompoundCall.walk(CompoundKind.COMPOUND, reader(words));
    }

    private static List<String> names(CompoundCall call) {
        return call.operations().stream().map(each -> each.operation().name()).toList();
    }

    @Test
    void anUnknownOperationEndsTheWalk() {
        var call = call(0, 2, 3, PUTROOTFH, 76, GETFH);
        assertEquals(new WalkEnd.UnknownOperation(1, 76), call.end());
        assertFalse(call.end().isComplete());
        assertEquals(List.of("PUTROOTFH"), names(call));
        assertEquals(3, call.count());
    }

    @Test
    void anOperationOfALaterMinorVersionEndsTheWalk() {
        var call = call(0, 1, 2, PUTROOTFH, GETXATTR, 0);
        var getxattr = Operation.of(CompoundKind.COMPOUND, GETXATTR).orElseThrow();
        assertEquals(new WalkEnd.LaterOperation(1, getxattr), call.end());
        assertEquals(List.of("PUTROOTFH", "GETXATTR"), names(call));
        assertEquals(
                Operation.of(CompoundKind.COMPOUND, SEQUENCE),
                call(0, 0, 1, SEQUENCE).operations().stream()
                        .map(CompoundCall.CalledOperation::operation)
                        .findFirst());
    }

    @Test
    void findsTheProgramsOfCallbacks() {
        // A verifier, an empty name, the program, an empty netid, an empty address and an ident.
        var inVersion0 = call(0, 0, 1, SETCLIENTID, 0, 0, 0, 0x40000007, 0, 0, 1);
        assertEquals(new WalkEnd.Complete(), inVersion0.end());
        assertEquals(List.of(0x40000007), inVersion0.callbackPrograms());
        int[] words = new int[27];
        System.arraycopy(new int[] {0, 1, 2, CREATE_SESSION, 1, 2, 3, 0}, 0, words, 0, 8);
        // The attributes of two channels have 14 words, and the security parameters a count of 0.
        words[22] = 0x40000042;
        words[24] = BACKCHANNEL_CTL;
        words[25] = 0x2345;
        var inVersion1 = call(words);
        assertEquals(new WalkEnd.Complete(), inVersion1.end());
        assertEquals(List.of(0x40000042, 0x2345), inVersion1.callbackPrograms());
    }

    @Test
    void everyOperationBeginsInTheMinorVersionOfItsRfc() {
        for (var operation : Operation.all(CompoundKind.COMPOUND)) {
            int number = operation.number();
            int first = number == ILLEGAL || number <= 39 ? 0 : number <= 58 ? 1 : 2;
            assertEquals(first, operation.minorVersion(), operation::name);
        }
        for (var operation : Operation.all(CompoundKind.CB_COMPOUND)) {
            int number = operation.number();
            int first = number == ILLEGAL || number <= 4 ? 0 : number <= 14 ? 1 : 2;
            assertEquals(first, operation.minorVersion(), operation::name);
        }
    }

    /** Goal: no operation of minor version 0 is forgotten that a server must not run twice. */
    @Test
    void operationsThatChangeNothingTheSecondTimeAreRepeatable() {
        var repeatable =
                Operation.all(CompoundKind.COMPOUND).stream()
                        .filter(each -> each.minorVersion() == 0 && each.isRepeatable())
                        .map(Operation::name)
                        .toList();
        assertEquals(
                List.of(
                        "ACCESS",
                        "COMMIT",
                        "GETATTR",
                        "GETFH",
                        "LOCKT",
                        "LOOKUP",
                        "LOOKUPP",
                        "NVERIFY",
                        "OPENATTR",
                        "PUTFH",
                        "PUTPUBFH",
                        "PUTROOTFH",
                        "READ",
                        "READDIR",
                        "READLINK",
                        "RENEW",
                        "RESTOREFH",
                        "SAVEFH",
                        "SECINFO",
                        "VERIFY",
                        "WRITE",
                        "ILLEGAL"),
                repeatable);
    }

    @Test
    void aCompoundIsRepeatableIfAllItsOperationsAre() {
        assertTrue(call(0, 0, 2, PUTROOTFH, GETFH).isRepeatable());
        assertFalse(call(0, 0, 2, PUTROOTFH, REMOVE, 1, 'a' << 24).isRepeatable());
        assertFalse(call(0, 0, 2, PUTROOTFH, REMOVE).isRepeatable(), "its arguments are cut off");
        assertTrue(call(0, 0, 2, PUTROOTFH, 76).isRepeatable(), "it has no effect");
        assertTrue(call(0, 1, 2, PUTROOTFH, REMOVE, 1, 'a' << 24).isRepeatable());
        assertTrue(call(0, 9, 2, PUTROOTFH, REMOVE, 1, 'a' << 24).isRepeatable());
        assertFalse(call(0, 0, 1 << 20, GETFH).isRepeatable(), "it was not walked");
        assertTrue(call(0, 0, 0).isRepeatable());
        assertTrue(call().isRepeatable());
    }

    @Test
    void anUnknownMinorVersionEndsTheWalkAtOnce() {
        var call = call(0, 3, 1, PUTROOTFH);
        assertEquals(new WalkEnd.UnknownMinorVersion(3), call.end());
        assertEquals(List.of(), call.operations());
    }

    @Test
    void tooManyOperationsAreNotWalked() {
        var call = call(0, 1, 513, PUTROOTFH);
        assertEquals(new WalkEnd.TooManyOperations(513), call.end());
        assertEquals(List.of(), call.operations());
        assertTrue(
                call(0, 1, 512, PUTROOTFH).end() instanceof WalkEnd.Malformed(var at, _)
                        && at == 1);
    }

    @Test
    void aMalformedOperationIsTheLastOne() {
        var call = call(0, 1, 2, PUTROOTFH, READ, 0, 0);
        assertEquals(List.of("PUTROOTFH", "READ"), names(call));
        assertEquals(List.of(), call.reads());
        assertTrue(call.end() instanceof WalkEnd.Malformed(var index, _) && index == 1);
    }

    @Test
    void aMalformedHeaderHasNoOperations() {
        assertTrue(call(9, 0).end() instanceof WalkEnd.Malformed(var index, _) && index == 0);
        assertEquals(0, call(9, 0).tag().byteSize());
    }

    @Test
    void aDiscriminantWithoutAnArmIsMalformed() {
        var call = call(0, 1, 1, 12, 1, 0, 0, 0, 0, 0, 2);
        assertEquals(new WalkEnd.Malformed(0, "locker4 has no arm 2"), call.end());
    }

    @Test
    void anItemBeyondTheLimitOfItsRfcIsMalformed() {
        int[] words = new int[3 + 2 + 33];
        words[2] = 1;
        words[3] = PUTFH;
        words[4] = 128;
        assertTrue(call(Arrays.copyOf(words, 3 + 2 + 32)).end().isComplete());
        words[4] = 129;
        assertEquals(
                new WalkEnd.Malformed(
                        0, "an item of 129 bytes is longer than its limit, 128 bytes"),
                call(words).end());
    }

    @Test
    void aCallbackHasAnIdentAndItsOwnOperations() {
        var call =
                CompoundCall.walk(CompoundKind.CB_COMPOUND, reader(0, 1, 77, 1, CB_RECALL_SLOT, 5));
        assertTrue(call.end().isComplete());
        assertEquals(77, call.callbackIdent());
        assertEquals(List.of("CB_RECALL_SLOT"), names(call));
        assertEquals(new ResultsBound.Bytes(12 + 8), call.longestResults());
    }

    @Test
    void aReplyShowsTheStatusOfEachOperation() {
        var reply =
                CompoundReply.walk(
                        CompoundKind.COMPOUND, reader(NOENT, 0, 2, PUTROOTFH, 0, GETFH, NOENT));
        assertEquals(OptionalInt.of(NOENT), reply.status());
        assertEquals(
                List.of(0, NOENT), reply.operations().stream().map(each -> each.status()).toList());
        assertTrue(reply.end().isComplete());
    }

    @Test
    void aReplyEndsAtAnUnknownOperation() {
        var reply = CompoundReply.walk(CompoundKind.COMPOUND, reader(0, 0, 2, PUTROOTFH, 0, 99, 0));
        assertEquals(new WalkEnd.UnknownOperation(1, 99), reply.end());
        assertEquals(1, reply.operations().size());
        assertEquals(
                OptionalInt.empty(), CompoundReply.walk(CompoundKind.COMPOUND, reader()).status());
    }

    /** Goal: a READ that failed takes its turn, and the data of the next one is its own. */
    @Test
    void theNthReadHasTheNthChunkEvenIfOneFails() {
        var taken = new ArrayList<String>();
        var placements =
                new Placements() {
                    @Override
                    public MemorySegment take(long position, long count) {
                        taken.add(position + "+" + count);
                        return MemorySegment.ofArray(new byte[(int) count]);
                    }

                    @Override
                    public void skipAbsent() {
                        taken.add("absent");
                    }

                    @Override
                    public void finish() {}
                };
        var in = reader();
        var words = ByteBuffer.allocate(16 * Integer.BYTES);
        for (int word : new int[] {0, 0, 3, READ, NOENT, READ, 0, 1, 5, READ, 0, 0, 6}) {
            words.putInt(word);
        }
        in.restart(MemorySegment.ofArray(words.array()).asSlice(0, words.position()), placements);
        var reply = CompoundReply.walk(CompoundKind.COMPOUND, in);
        assertTrue(reply.end().isComplete());
        // The second READ takes 8 bytes of the unreduced stream that are not in the message.
        assertEquals(List.of("absent", "36+5", "60+6"), taken);
        assertEquals(List.of(1, 2), reply.items().stream().map(OperationItem::ordinal).toList());
        assertEquals(
                List.of(36L, 60L), reply.items().stream().map(OperationItem::position).toList());
    }

    @Test
    void namesOfStatusesAreThoseOfTheRfcs() {
        assertEquals("NFS4_OK", Nfs4Status.of(0).orElseThrow().rfcName());
        assertEquals("NFS4ERR_NOENT", Nfs4Status.of(2).orElseThrow().rfcName());
        assertEquals("NFS4ERR_OP_ILLEGAL", Nfs4Status.of(10044).orElseThrow().rfcName());
        assertEquals("NFS4ERR_NOXATTR", Nfs4Status.of(10095).orElseThrow().rfcName());
        assertEquals("NFS4ERR_XATTR2BIG", Nfs4Status.of(10096).orElseThrow().rfcName());
        // These numbers are not defined, the first because NFS version 3 has it.
        for (int number : new int[] {19, 10002, 10073, 10097}) {
            assertEquals(Optional.empty(), Nfs4Status.of(number));
        }
        var numbers = new HashSet<Integer>();
        for (var status : Nfs4Status.values()) {
            assertTrue(numbers.add(status.number()), status::rfcName);
        }
    }

    @Test
    void onlyReadAndReadlinkAreOfTheReadClass() {
        assertEquals(
                List.of("READ", "READLINK"),
                Operation.all(CompoundKind.COMPOUND).stream()
                        .filter(Operation::isReadClass)
                        .map(Operation::name)
                        .toList());
        assertTrue(
                Operation.all(CompoundKind.CB_COMPOUND).stream().noneMatch(Operation::isReadClass));
    }
}
