package io.github.rpcrdma4j.nfs.lock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.ProgramVector;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Goal: messages of NLM and NSM are those of their definitions. Method: messages that {@code
 * program_vectors.py} made from the definitions of another project, and bytes written by hand.
 */
class LockMessagesTest {
    private static final int[] VERSIONS = {1, 3, 4};

    /** Decodes a message, and returns what encodes it again. */
    private interface Codec {
        Consumer<XdrWriter> decode(XdrReader in) throws XdrException;
    }

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the codec of a message, or nothing if it has no content. */
    private static Optional<Codec> codec(int version, ProgramVector vector) {
        var procedure = NlmProcedure.of(version, vector.procedure()).orElseThrow();
        return switch (procedure) {
            case NULL -> Optional.empty();
            case TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES ->
                    vector.isCall() ? Optional.of(reply(version, procedure)) : Optional.empty();
            case TEST_MSG, LOCK_MSG, CANCEL_MSG, UNLOCK_MSG, GRANTED_MSG, FREE_ALL ->
                    vector.isCall() ? Optional.of(call(version, procedure)) : Optional.empty();
            case TEST, LOCK, CANCEL, UNLOCK, GRANTED, SHARE, UNSHARE, NM_LOCK ->
                    Optional.of(
                            vector.isCall() ? call(version, procedure) : reply(version, procedure));
        };
    }

    private static Codec call(int version, NlmProcedure procedure) {
        return in -> {
            var call = NlmCall.decode(version, procedure, in);
            return out -> call.encode(version, out);
        };
    }

    private static Codec reply(int version, NlmProcedure procedure) {
        return in -> {
            var reply = NlmReply.decode(version, procedure, in);
            return out -> reply.encode(version, out);
        };
    }

    private static Optional<Codec> codec(ProgramVector vector) {
        var procedure = NsmCall.Procedure.of(vector.procedure()).orElseThrow();
        if (vector.isCall()) {
            return switch (procedure) {
                case NULL, SIMU_CRASH -> Optional.empty();
                case STAT, MON, UNMON, UNMON_ALL, NOTIFY ->
                        Optional.of(in -> NsmCall.decode(procedure, in)::encode);
            };
        }
        return switch (procedure) {
            case STAT, MON -> Optional.of(in -> NsmCall.Result.decode(in)::encode);
            case NULL, SIMU_CRASH, UNMON, UNMON_ALL, NOTIFY -> Optional.empty();
        };
    }

    private interface Check {
        void check(Codec codec, ProgramVector vector) throws Exception;
    }

    private static int each(Check check) throws Exception {
        int checked = 0;
        for (int version : VERSIONS) {
            for (var vector : ProgramVector.of(Nlm.PROGRAM, version)) {
                var codec = codec(version, vector);
                if (codec.isPresent()) {
                    check.check(codec.get(), vector);
                    checked++;
                }
            }
        }
        for (var vector : ProgramVector.of(Nsm.PROGRAM, 1)) {
            var codec = codec(vector);
            if (codec.isPresent()) {
                check.check(codec.get(), vector);
                checked++;
            }
        }
        return checked;
    }

    @Test
    void readsAndWritesTheMessagesOfAnotherPacker() throws Exception {
        int checked =
                each(
                        (codec, vector) ->
                                assertArrayEquals(
                                        vector.bytes(),
                                        Golden.flat(codec.decode(vector.reader())),
                                        vector::line));
        assertEquals(165, checked);
    }

    @Test
    void takesNoTruncationForAWholeMessage() throws Exception {
        each(
                (codec, vector) -> {
                    for (int length = 0; length < vector.bytes().length; length++) {
                        var cut = Golden.reader(Arrays.copyOf(vector.bytes(), length));
                        assertThrows(XdrException.class, () -> codec.decode(cut), vector::line);
                    }
                });
    }

    @Test
    void everyCorruptByteDecodesToAValueOrIsRefused() throws Exception {
        each(
                (codec, vector) -> {
                    for (int i = 0; i < vector.bytes().length; i++) {
                        byte[] bytes = vector.bytes().clone();
                        bytes[i] ^= (byte) 0xff;
                        try {
                            codec.decode(Golden.reader(bytes));
                        } catch (XdrException _) {
                            // The caller is told that its arguments are garbage.
                        }
                    }
                });
    }

    private static final NlmLock LOCK =
            new NlmLock(name("a"), name("fh"), name("own"), 7, 0x1_0000_0002L, 3);

    @Test
    void aLockOfVersion4HasOffsetsOf64Bits() throws Exception {
        var call = new NlmCall.Lock(name("c"), true, false, LOCK, true, 9);
        byte[] bytes =
                HexFormat.of()
                        .parseHex(
                                ("00000001 63000000" // the cookie
                                                + "00000001 00000000" // waits, shared
                                                + "00000001 61000000 00000002 66680000"
                                                + "00000003 6f776e00 00000007"
                                                + "0000000100000002 0000000000000003"
                                                + "00000001 00000009")
                                        .replace(" ", ""));
        assertArrayEquals(bytes, Golden.flat(out -> call.encode(4, out)));
        assertEquals(call, NlmCall.decode(4, NlmProcedure.LOCK, Golden.reader(bytes)));
    }

    @Test
    void olderVersionsTellAFarHolderAsOneToTheEnd() throws Exception {
        var far = new NlmHolder(true, 1, name("o"), 1L << 40, 10);
        var reply = new NlmReply.Tested(name(""), NlmStatus.DENIED, Optional.of(far));
        byte[] bytes = Golden.flat(out -> reply.encode(1, out));
        var told =
                ((NlmReply.Tested) NlmReply.decode(1, NlmProcedure.TEST, Golden.reader(bytes)))
                        .holder()
                        .orElseThrow();
        assertEquals(0xffff_ffffL, told.offset());
        assertEquals(0, told.length());
    }

    /** XNFS: versions 1 and 3 have five statuses. */
    @Test
    void olderVersionsGetTheNearestStatus() {
        for (var status : NlmStatus.values()) {
            assertEquals(status.ordinal(), status.number(4));
            assertTrue(status.number(1) <= 4 && status.number(3) <= 4, status::name);
            assertEquals(status, NlmStatus.of(status.number(4)));
        }
        assertEquals(NlmStatus.FAILED, NlmStatus.of(-1));
    }

    @Test
    void version1HasNoShares() {
        assertEquals(Optional.empty(), NlmProcedure.of(1, NlmProcedure.SHARE.number()));
        assertEquals(Optional.of(NlmProcedure.SHARE), NlmProcedure.of(3, 20));
        assertEquals(Optional.empty(), NlmProcedure.of(4, 16));
        assertEquals(Optional.empty(), NlmProcedure.of(4, -1));
        assertEquals(Optional.empty(), NsmCall.Procedure.of(7));
        assertEquals(Optional.empty(), NsmCall.Procedure.of(-1));
    }

    @Test
    void aShareHasTwoWaysToUseAFile() {
        var share = new NlmShare(name("a"), name("fh"), name("o"), 3, 2);
        byte[] bytes =
                Golden.flat(out -> new NlmCall.Share(name("c"), share, false).encode(3, out));
        bytes[bytes.length - 5] = 4;
        assertThrows(
                XdrException.class,
                () -> NlmCall.decode(3, NlmProcedure.SHARE, Golden.reader(bytes)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new NlmShare(name("a"), name("fh"), name("o"), 4, 0));
    }
}
