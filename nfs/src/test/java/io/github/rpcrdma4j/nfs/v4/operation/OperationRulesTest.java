package io.github.rpcrdma4j.nfs.v4.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperationRulesTest {
    private final SegmentPool pool = new SegmentPool(1 << 20);

    private static XdrReader reader(String hex) {
        return new XdrReader(MemorySegment.ofArray(HexFormat.of().parseHex(hex)));
    }

    private static Arguments arguments(int minorVersion, Opcode opcode, String hex)
            throws XdrException {
        var in = reader("%08x".formatted(opcode.number()) + hex);
        var decoded = Arguments.decode(minorVersion, in);
        in.finish();
        return decoded;
    }

    private static void requireMalformed(Opcode opcode, String hex) {
        assertThrows(XdrException.class, () -> arguments(2, opcode, hex), opcode::name);
    }

    /** Goal: pynfs' COMP5: these numbers are no operations. */
    @Test
    void unknownNumbersAreIllegal() throws XdrException {
        for (int number : new int[] {0, 1, 2, 76, 10044, -1}) {
            var in = reader("%08x".formatted(number) + "00000000");
            assertEquals(new Arguments.Illegal(number), Arguments.decode(2, in));
            assertEquals(4, in.remaining());
        }
        assertEquals(Opcode.ILLEGAL, new Arguments.Illegal(5).opcode());
    }

    @Test
    void operationsOfLaterMinorVersionsAreIllegal() throws XdrException {
        var state = "00".repeat(16);
        var range = "0000000000000001".repeat(2);
        assertEquals(
                new Arguments.Illegal(Opcode.ALLOCATE.number()),
                Arguments.decode(1, reader("0000003b" + state + range)));
        assertEquals(
                new DataArguments.Allocate(StateId.ANONYMOUS, 1, 1),
                arguments(2, Opcode.ALLOCATE, state + range));
    }

    /** Goal: the arguments of operations that no server here carries out are passed over. */
    @Test
    void whatIsNotSupportedIsSkipped() throws XdrException {
        var in = reader("0000001e" + "0000000000000007" + "00000018");
        assertEquals(new Arguments.NotSupported(Opcode.RENEW), Arguments.decode(1, in));
        assertEquals(new HandleArguments.PutRootFh(), Arguments.decode(1, in));
        requireMalformed(Opcode.RENEW, "00000000");
        try (var out = new XdrWriter(pool)) {
            var renew = new Arguments.NotSupported(Opcode.RENEW);
            assertThrows(UnsupportedOperationException.class, () -> renew.encode(out));
        }
    }

    /** Source: RFC 8881, Section 15.1.1.1: fixed enumerations with another value are BADXDR. */
    @Test
    void unknownValuesOfEnumerationsAreMalformed() {
        var state = "00".repeat(16);
        var range = "0000000000000001".repeat(2);
        requireMalformed(Opcode.SECINFO_NO_NAME, "00000002");
        requireMalformed(Opcode.LOCKT, "00000005" + range + "00".repeat(12));
        requireMalformed(Opcode.LOCKT, "00000000" + range + "00".repeat(12));
        requireMalformed(Opcode.WRITE, state + "0000000000000000" + "00000003" + "00000000");
        for (var direction : List.of("00", "04", "05", "06", "08")) {
            requireMalformed(
                    Opcode.BIND_CONN_TO_SESSION, state + "000000" + direction + "00000000");
        }
        requireMalformed(Opcode.BIND_CONN_TO_SESSION, state + "ffffffff" + "00000000");
        requireMalformed(Opcode.SETXATTR, "00000003" + "0000000161000000" + "00000000");
        requireMalformed(Opcode.RECLAIM_COMPLETE, "00000002");
        var open = "00".repeat(12) + "00".repeat(12);
        requireMalformed(Opcode.OPEN, open + "00000002" + "00000004");
        requireMalformed(Opcode.OPEN, open + "00000001" + "00000004");
        requireMalformed(Opcode.OPEN, open + "00000000" + "00000007");
        var owner = "00".repeat(8) + "00000000" + "00000000";
        requireMalformed(Opcode.EXCHANGE_ID, owner + "00000003" + "00000000");
        // Two elements in an array of at most one: pynfs' EID3.
        requireMalformed(Opcode.EXCHANGE_ID, owner + "00000000" + "00000002" + "00".repeat(40));
    }

    @Test
    void otherUnknownValuesAreDecoded() throws XdrException {
        var open =
                assertInstanceOf(
                        StateArguments.Open.class,
                        arguments(
                                2,
                                Opcode.OPEN,
                                "00000000"
                                        + "ffffffff"
                                        + "fffffff0"
                                        + "00".repeat(12)
                                        + "00000000"
                                        + "00000001"
                                        + "00000063"));
        assertEquals(-1, open.access());
        assertEquals(0xfffffff0, open.deny());
        assertEquals(new OpenClaim.Previous(0x63), open.claim());
        var create =
                assertInstanceOf(
                        NameArguments.Create.class,
                        arguments(
                                2,
                                Opcode.CREATE,
                                "00000009" + "0000000161000000" + "00000000" + "00000000"));
        assertEquals(new NameArguments.NewFile.Other(9), create.file());
    }

    /** Goal: a count never makes the server reserve memory that the message does not have. */
    @Test
    void listsLongerThanTheirMessageAreMalformed() {
        requireMalformed(Opcode.TEST_STATEID, "7fffffff");
        requireMalformed(Opcode.TEST_STATEID, "00000002" + "00".repeat(31));
        requireMalformed(Opcode.BACKCHANNEL_CTL, "00000000" + "7fffffff" + "00000000");
        requireMalformed(Opcode.GETATTR, "40000000" + "00000000");
        requireMalformed(Opcode.PUTFH, "00000081" + "00".repeat(132));
    }

    @Test
    void theHeaderOfAReplyIsCompletedAtTheEnd() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var header = new CompoundResult.Header(out.uint32(7), ArgumentSamples.name("tag"));
            Result.done(Opcode.PUTROOTFH).encode(out);
            Result.failed(Opcode.LOOKUP, Nfs4Status.NOENT).encode(out);
            header.complete(Nfs4Status.NOENT, 2);
            var in = new XdrReader(out.reducedStream());
            assertEquals(7, in.uint32());
            assertEquals(
                    new CompoundResult(
                            Nfs4Status.NOENT,
                            ArgumentSamples.name("tag"),
                            List.of(
                                    Result.done(Opcode.PUTROOTFH),
                                    Result.failed(Opcode.LOOKUP, Nfs4Status.NOENT))),
                    CompoundResult.decode(in));
        }
    }

    @Test
    void anEmptyReplyIsComplete() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            new CompoundResult.Header(out, ArgumentSamples.name(""))
                    .complete(Nfs4Status.MINOR_VERS_MISMATCH, 0);
            assertEquals(
                    new CompoundResult(
                            Nfs4Status.MINOR_VERS_MISMATCH, ArgumentSamples.name(""), List.of()),
                    CompoundResult.decode(new XdrReader(out.reducedStream())));
        }
    }

    @Test
    void theHeaderOfACallIsReadBeforeItsOperations() throws XdrException {
        var in = reader("00000003" + "74616700" + "00000032" + "ffffffff" + "00000018");
        assertEquals(
                new CompoundArguments.Header(ArgumentSamples.name("tag"), 50, -1),
                CompoundArguments.Header.decode(in));
        assertEquals(new HandleArguments.PutRootFh(), Arguments.decode(2, in));
    }

    /** Goal: no result lacks the values that its status brings. */
    @Test
    void failuresWithValuesHaveRecordsOfTheirOwn() {
        assertEquals(
                new AttributeResult.SetAttr(Nfs4Status.STALE, AttributeSet.NONE),
                Result.failed(Opcode.SETATTR, Nfs4Status.STALE));
        assertThrows(
                IllegalArgumentException.class,
                () -> Result.failed(Opcode.LOCK, Nfs4Status.DENIED));
        assertThrows(
                IllegalArgumentException.class,
                () -> Result.failed(Opcode.LOCKT, Nfs4Status.DENIED));
        assertThrows(
                IllegalArgumentException.class,
                () -> Result.failed(Opcode.COPY, Nfs4Status.OFFLOAD_NO_REQS));
        assertThrows(
                IllegalArgumentException.class, () -> Result.failed(Opcode.READ, Nfs4Status.OK));
        assertThrows(IllegalArgumentException.class, () -> Result.done(Opcode.READ));
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        new LockResult.Denied(
                                Opcode.LOCKU, 0, 0, LockType.READ, ArgumentSamples.OWNER));
        assertThrows(
                IllegalArgumentException.class,
                () -> new OpenDelegation.Refused(OpenDelegation.Refused.IS_DIR, true));
    }

    /** Source: RFC 8881, Sections 15.1.1.4 and 15.1.7; pynfs' RNM6, RNM7, RNM10 and RNM11. */
    @Test
    void aNameThatNamesNoFileHasItsStatus() {
        assertEquals(Nfs4Status.INVAL, status(""));
        assertEquals(Nfs4Status.BADNAME, status("."));
        assertEquals(Nfs4Status.BADNAME, status(".."));
        assertEquals(Nfs4Status.BADNAME, status("a/b"));
        assertEquals(Nfs4Status.BADNAME, status("/"));
        assertEquals(Nfs4Status.BADNAME, status("a\0"));
        assertEquals(Nfs4Status.OK, status("..."));
        assertEquals(Nfs4Status.OK, status("a".repeat(255)));
        assertEquals(Nfs4Status.NAMETOOLONG, status("a".repeat(256)));
        assertEquals(Nfs4Status.NAMETOOLONG, status("/".repeat(256)));
        var latin1 = new FileName(new byte[] {'c', 'a', 'f', (byte) 0xe9});
        assertEquals(Nfs4Status.OK, FileNames.status(latin1, 255));
    }

    private static Nfs4Status status(String name) {
        return FileNames.status(FileName.of(name), 255);
    }

    /** Goal: a name of a machine that is no text cannot break a callback. */
    @Test
    void aCredentialForCallbacksCanAlwaysBeSent() {
        byte[] bytes = new byte[255];
        bytes[0] = (byte) 0xff;
        var sys = new CallbackSecurity.Sys(1, OpaqueName.of(bytes), 17, 19, List.of(5));
        assertEquals(new Credential.Sys(1, "", 17, 19, List.of(5)), sys.credential());
        var named = new CallbackSecurity.Sys(1, ArgumentSamples.name("host"), 17, 19, List.of());
        assertEquals("host", named.credential().machine());
    }

    @Test
    void aListingOfExtendedAttributesKnowsItsLength() {
        var names = List.of(FileName.of("a"), FileName.of("abcde"));
        long expected = XattrResult.ListXattrs.EMPTY_BYTES;
        for (var each : names) {
            expected += XattrResult.ListXattrs.bytes(each);
        }
        try (var out = new XdrWriter(pool)) {
            new XattrResult.ListXattrs(1, names, true).encodeBody(out);
            assertEquals(expected, out.reducedLength());
        }
        assertTrue(expected > XattrResult.ListXattrs.EMPTY_BYTES);
    }
}
