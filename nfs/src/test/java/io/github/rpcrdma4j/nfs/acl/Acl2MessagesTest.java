package io.github.rpcrdma4j.nfs.acl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.FileType;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.nfs.v2.Timestamp;
import io.github.rpcrdma4j.xdr.XdrException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Goal: the messages of NFSACL version 2 have their layout. Method: messages that {@code
 * acl_vectors.py} packed.
 */
class Acl2MessagesTest {
    private static final FileHandle HANDLE = FileHandle.of(handle());
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
    private static final FileAttributes FILE =
            new FileAttributes(
                    FileType.DIRECTORY,
                    040761,
                    3,
                    1001,
                    2001,
                    4096,
                    4096,
                    0,
                    16,
                    77,
                    88,
                    new Timestamp(10, 11),
                    new Timestamp(12, 13),
                    new Timestamp(14, 15));

    private static final Acl2Call.GetAcl GET = new Acl2Call.GetAcl(HANDLE, AclLists.ALL);
    private static final Acl2Call.SetAcl SET =
            new Acl2Call.SetAcl(HANDLE, new AclLists(5, ACCESS, OF_MODE));
    private static final Acl2Call.Access RIGHTS = new Acl2Call.Access(HANDLE, 63);

    private static final Map<String, Acl2Call<?>> CALLS =
            Map.of(
                    "acl2-call-getacl", GET,
                    "acl2-call-setacl", SET,
                    "acl2-call-getattr", new Acl2Call.GetAttributes(HANDLE),
                    "acl2-call-access", RIGHTS);

    private static byte[] handle() {
        byte[] bytes = new byte[FileHandle.BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Test
    void callsAreThoseOfTheLayout() throws Exception {
        for (var each : CALLS.entrySet()) {
            byte[] bytes = Golden.bytes(each.getKey());
            var call = each.getValue();
            assertArrayEquals(bytes, Golden.flat(call::encode), each.getKey());
            assertEquals(call, Acl2Call.decode(call.procedure(), Golden.reader(bytes)));
            for (int length = 0; length < bytes.length; length++) {
                var cut = Golden.reader(Arrays.copyOf(bytes, length));
                assertThrows(XdrException.class, () -> Acl2Call.decode(call.procedure(), cut));
            }
        }
    }

    private static <T> void isReply(String name, Acl2Call<T> call, Nfs2Reply<T> reply)
            throws XdrException {
        byte[] bytes = Golden.bytes(name);
        assertArrayEquals(bytes, Golden.flat(out -> call.encodeReply(out, reply)), name);
        assertEquals(reply, call.decodeReply(Golden.reader(bytes)));
        assertTrue(bytes.length <= call.resultsMax(6), name);
        for (int length = 0; length < bytes.length; length++) {
            var cut = Golden.reader(Arrays.copyOf(bytes, length));
            assertThrows(XdrException.class, () -> call.decodeReply(cut));
        }
        for (int at = 0; at < bytes.length; at++) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= (byte) 0x81;
            try {
                call.decodeReply(Golden.reader(damaged));
            } catch (XdrException _) {
                // This is the value of a malformed message.
            }
        }
    }

    @Test
    void repliesAreThoseOfTheLayout() throws Exception {
        var lists = new AclLists(AclLists.ALL, ACCESS, OF_MODE);
        isReply(
                "acl2-reply-getacl",
                GET,
                new Nfs2Reply.Ok<>(new Acl2Call.FileAndLists(FILE, lists)));
        isReply("acl2-reply-setacl", SET, new Nfs2Reply.Ok<>(FILE));
        isReply("acl2-reply-setacl", new Acl2Call.GetAttributes(HANDLE), new Nfs2Reply.Ok<>(FILE));
        isReply(
                "acl2-reply-access",
                RIGHTS,
                new Nfs2Reply.Ok<>(new Acl2Call.FileAndRights(FILE, 31)));
        isReply("acl2-reply-failed", SET, new Nfs2Reply.Failed<>(Status.NOTSUPP));
    }

    @Test
    void numbersTheProcedures() {
        for (var procedure : Acl2Call.Procedure.values()) {
            assertEquals(procedure.ordinal(), procedure.number());
            assertEquals(Optional.of(procedure), Acl2Call.Procedure.of(procedure.number()));
        }
        assertEquals(Optional.empty(), Acl2Call.Procedure.of(5));
    }
}
