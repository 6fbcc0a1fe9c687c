package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.Golden;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: call and reply headers have the right wire form. Method: golden files. */
class MessageHeaderTest {
    private static final CallProtection PLAIN = CallProtection.of(new Credential.None());
    private static final int XID = 0x0a0b0c0d;
    private static final Credential.Sys SYS =
            new Credential.Sys(42, "box", 1000, -2, List.of(0, 24, 1000));

    private static final Map<String, ReplyHeader> REPLIES =
            Map.of(
                    "null-reply", new ReplyHeader.Success(XID),
                    "refused", new ReplyHeader.Refused(XID, AcceptStatus.GARBAGE_ARGS),
                    "program-mismatch", new ReplyHeader.ProgramMismatch(XID, 2, 4),
                    "rpc-mismatch", new ReplyHeader.RpcMismatch(XID, 2, 2),
                    "auth-error", new ReplyHeader.AuthError(XID, ReplyHeader.AUTH_REJECTEDCRED));

    private final SegmentPool pool = new SegmentPool(1 << 20);

    @AfterEach
    void everythingIsGivenBack() {
        assertEquals(0, pool.leased());
    }

    @Test
    void decodesTheGoldenCalls() throws Exception {
        var in = new XdrReader(Golden.bytes("null-call"));
        var header = CallHeader.decode(in);
        in.finish();
        assertEquals(new CallHeader(XID, 2, 100003, 3, 0, RawAuth.NONE, RawAuth.NONE), header);
        assertEquals(Optional.of(new Credential.None()), header.credential().credential());

        in = new XdrReader(Golden.bytes("sys-call"));
        header = CallHeader.decode(in);
        in.finish();
        assertEquals(1, header.procedure());
        assertEquals(Optional.of(SYS), header.credential().credential());
    }

    @Test
    void encodesTheGoldenCalls() {
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, XID, 100003, 3, 0, RawAuth.of(new Credential.None()));
            assertEquals(Golden.digits("null-call"), Golden.hex(out));
            out.clear();
            CallHeader.encode(out, 0x01020304, 100003, 3, 1, RawAuth.of(SYS));
            assertEquals(Golden.digits("sys-call"), Golden.hex(out));
        }
    }

    @Test
    void theProtectedBytesOfACallAreItsHeaderUpToTheVerifierAndNeedNoNativeMemory()
            throws Exception {
        long before = MemoryBudget.process().used();
        for (var name : List.of("null-call", "sys-call")) {
            var whole = Golden.bytes(name);
            var header = CallHeader.decode(new XdrReader(whole));
            long length = 24 + header.credential().length();
            for (int i = 0; i < 1000; i++) {
                assertEquals(
                        Golden.hex(whole.asSlice(0, length)),
                        Golden.hex(MemorySegment.ofArray(header.bytesToVerifier())));
            }
        }
        assertTrue(MemoryBudget.process().used() <= before);
    }

    @Test
    void decodesTheGoldenReplies() throws Exception {
        for (var reply : REPLIES.entrySet()) {
            var in = new XdrReader(Golden.bytes(reply.getKey()));
            assertEquals(reply.getValue(), ReplyHeader.decode(in));
            in.finish();
        }
    }

    @Test
    void encodesTheGoldenReplies() {
        for (var reply : REPLIES.entrySet()) {
            try (var out = new XdrWriter(pool)) {
                reply.getValue().encode(out);
                assertEquals(Golden.digits(reply.getKey()), Golden.hex(out));
            }
        }
        assertEquals(ReplyHeader.ACCEPTED_BYTES, Golden.bytes("null-reply").byteSize());
    }

    @Test
    void refusesEveryTruncationOfAReply() {
        for (var name : REPLIES.keySet()) {
            var whole = Golden.bytes(name);
            for (long length = 0; length < whole.byteSize(); length++) {
                var in = new XdrReader(whole.asSlice(0, length));
                assertThrows(XdrException.class, () -> ReplyHeader.decode(in), name);
            }
        }
    }

    /**
     * Goal: any bytes give a value or an exception. Method: every value of every byte of every
     * golden reply.
     */
    @Test
    void survivesEveryCorruptionOfAReply() {
        var call = new RpcCall(100003, 3, 0, _ -> {}, 0);
        int usable = 0;
        for (var name : REPLIES.keySet()) {
            var bytes = Golden.bytes(name);
            for (long at = 0; at < bytes.byteSize(); at++) {
                byte good = bytes.get(ValueLayout.JAVA_BYTE, at);
                for (int value = 0; value < 256; value++) {
                    bytes.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                    try {
                        ReplyHeader.requireSuccess(new XdrReader(bytes), call, XID, PLAIN);
                        usable++;
                    } catch (RpcException failure) {
                        assertTrue(failure.getMessage().contains("program 100003 version 3"));
                        assertEquals(1, failure.getMessage().lines().count());
                    }
                }
                bytes.set(ValueLayout.JAVA_BYTE, at, good);
            }
        }
        // Usable are the good reply itself, other flavors of its verifier, and refusals that became
        // SUCCESS.
        assertTrue(usable >= 24 && usable < 2000, "usable: " + usable);
    }

    @Test
    void refusesAnAcceptStatusThatDoesNotExist() {
        for (int status : new int[] {6, 7, Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
            var bytes = Golden.bytes("null-reply");
            bytes.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 20, status);
            assertThrows(XdrException.class, () -> ReplyHeader.decode(new XdrReader(bytes)));
        }
    }

    @Test
    void doesNotTakeOneKindOfMessageForTheOther() {
        assertThrows(
                XdrException.class,
                () -> ReplyHeader.decode(new XdrReader(Golden.bytes("null-call"))));
        assertThrows(
                XdrException.class,
                () -> CallHeader.decode(new XdrReader(Golden.bytes("null-reply"))));
    }

    @Test
    void namesTheSideAtFault() {
        var call = new RpcCall(100003, 3, 7, _ -> {}, 0);
        var messages =
                Map.of(
                        "refused",
                                "the server refused program 100003 version 3 procedure 7:"
                                        + " GARBAGE_ARGS",
                        "program-mismatch",
                                "the server refused program 100003 version 3 procedure 7:"
                                        + " it serves versions 2 to 4",
                        "rpc-mismatch",
                                "the server denied program 100003 version 3 procedure 7:"
                                        + " it supports RPC version 2, not 2",
                        "auth-error",
                                "the server denied program 100003 version 3 procedure 7:"
                                        + " it does not accept the credential (auth_stat 2)",
                        "null-call",
                                "the server's reply to program 100003 version 3 procedure 7"
                                        + " is malformed: not a reply");
        for (var each : messages.entrySet()) {
            var failure =
                    assertThrows(
                            RpcException.class,
                            () ->
                                    ReplyHeader.requireSuccess(
                                            new XdrReader(Golden.bytes(each.getKey())),
                                            call,
                                            XID,
                                            PLAIN));
            assertEquals(each.getValue(), failure.getMessage());
        }
        var another =
                assertThrows(
                        RpcException.BadReply.class,
                        () ->
                                ReplyHeader.requireSuccess(
                                        new XdrReader(Golden.bytes("null-reply")), call, 1, PLAIN));
        assertTrue(another.getMessage().endsWith("answers another call"));
    }

    @Test
    void keepsTheLimitsOfAuthSys() throws Exception {
        var groups = List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        var largest = new Credential.Sys(0, "m".repeat(255), 1, 2, groups);
        var wire = RawAuth.of(largest);
        assertTrue(wire.body().byteSize() <= RawAuth.BODY_MAX);
        assertEquals(Optional.of(largest), wire.credential());

        var name = new Credential.Sys(0, "m".repeat(256), 1, 2, List.of());
        assertThrows(IllegalArgumentException.class, () -> RawAuth.of(name));
        var group = new Credential.Sys(0, "", 1, 2, new ArrayList<>(groups));
        assertEquals(Optional.of(group), RawAuth.of(group).credential());
        var more = new ArrayList<>(groups);
        more.add(17);
        var tooMany = new Credential.Sys(0, "", 1, 2, more);
        assertThrows(IllegalArgumentException.class, () -> RawAuth.of(tooMany));
    }

    @Test
    void refusesEveryTruncationOfAuthSys() {
        var body = RawAuth.of(SYS).body();
        for (long length = 0; length < body.byteSize(); length++) {
            var cut = new RawAuth(1, body.asSlice(0, length));
            assertThrows(XdrException.class, cut::credential, "length " + length);
        }
        var longer = MemorySegment.ofArray(new byte[(int) body.byteSize() + 4]).copyFrom(body);
        assertThrows(XdrException.class, () -> new RawAuth(1, longer).credential());
    }

    @Test
    void keepsFlavorsThatItDoesNotUnderstand() throws Exception {
        var other = new RawAuth(6, MemorySegment.ofArray(new byte[] {1, 2, 3, 4}));
        assertEquals(Optional.empty(), other.credential());
    }

    @Test
    void takesAMachineNameInAnyEncoding() throws Exception {
        var body = MemorySegment.ofArray(RawAuth.of(SYS).body().toArray(ValueLayout.JAVA_BYTE));
        body.set(ValueLayout.JAVA_BYTE, 8, (byte) 0xff);
        assertTrue(new RawAuth(1, body).credential().isPresent());
    }
}
