package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: each callback gets its answer. Method: calls as bytes, answers as values. */
class BackChannelTest {
    private static final int MINOR = 2;
    private static final OpaqueName TAG = OpaqueName.of(new byte[] {7});
    private static final SessionId SESSION = new SessionId(1, 2);
    private static final FileHandle FILE = FileHandle.of(new byte[] {1, 2, 3, 4});
    private static final StateId STATE = new StateId(1, 2, 3);
    private static final int CB_LAYOUTRECALL = 5;
    private static final int CB_NOTIFY_DEVICEID = 14;
    private static final int CB_ILLEGAL = 10044;

    private final List<CallbackArguments.NotifyLock> notices = new ArrayList<>();
    private final BackChannel channel = channel();

    private BackChannel channel() {
        var made = new BackChannel(MINOR, notices::add);
        made.begin(SESSION);
        return made;
    }

    private static CallbackArguments.Sequence sequence(int number) {
        return new CallbackArguments.Sequence(SESSION, number, 0, 0, true, List.of());
    }

    private static byte[] bytes(int minor, CallbackArguments... callbacks) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            new CallbackCompound(TAG, minor, 0, List.of(callbacks)).encode(out);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private CallbackCompound.Outcome answer(byte[] call) throws XdrException {
        return channel.answer(new XdrReader(MemorySegment.ofArray(call)));
    }

    private CallbackCompound.Outcome answer(CallbackArguments... callbacks) throws XdrException {
        return answer(bytes(MINOR, callbacks));
    }

    private static CallbackResult plain(int number, Nfs4Status status) {
        return new CallbackResult.Plain(number, status);
    }

    private void requireStatus(Nfs4Status status, CallbackArguments callback) throws XdrException {
        var fresh = channel();
        var answer =
                fresh.answer(
                        new XdrReader(MemorySegment.ofArray(bytes(MINOR, sequence(1), callback))));
        assertEquals(status, answer.status());
        assertEquals(plain(callback.opcode().number(), status), answer.results().getLast());
    }

    @Test
    void eachCallbackHasAnAnswer() throws Exception {
        requireStatus(Nfs4Status.BADHANDLE, new CallbackArguments.GetAttr(FILE, AttributeSet.of()));
        requireStatus(Nfs4Status.BAD_STATEID, new CallbackArguments.Recall(STATE, false, FILE));
        requireStatus(Nfs4Status.OK, new CallbackArguments.RecallSlot(3));
        requireStatus(Nfs4Status.SEQUENCE_POS, sequence(2));
        requireStatus(
                Nfs4Status.OK,
                new CallbackArguments.Offload(
                        FILE, STATE, new CallbackArguments.Offload.Failed(Nfs4Status.NOSPC, 9)));
    }

    @Test
    void aNoticeOfALockIsToldOnce() throws Exception {
        var notice =
                new CallbackArguments.NotifyLock(
                        FILE, new StateOwner(5, OpaqueName.of(new byte[8])));
        var first = answer(sequence(1), notice);
        assertEquals(Nfs4Status.OK, first.status());
        assertEquals(TAG, first.tag());
        assertEquals(first, answer(sequence(1), notice));
        assertEquals(List.of(notice), notices);
        answer(sequence(2), notice);
        assertEquals(List.of(notice, notice), notices);
    }

    @Test
    void slotsAreRecalledByTheHighestOne() throws Exception {
        var recalled = new ArrayList<Integer>();
        var told =
                new BackChannel(
                        MINOR,
                        new BackChannel.Events() {
                            @Override
                            public void lockMayBeFree(CallbackArguments.NotifyLock notice) {
                                notices.add(notice);
                            }

                            @Override
                            public void slotsRecalled(int highest) {
                                recalled.add(highest);
                            }
                        });
        told.begin(SESSION);
        var call = bytes(MINOR, sequence(1), new CallbackArguments.RecallSlot(3));
        told.answer(new XdrReader(MemorySegment.ofArray(call)));
        assertEquals(List.of(3), recalled);
        assertEquals(List.of(), notices);
    }

    @Test
    void endsOfCopiesAreTold() throws Exception {
        var ended = new ArrayList<CallbackArguments.Offload>();
        var told =
                new BackChannel(
                        MINOR,
                        new BackChannel.Events() {
                            @Override
                            public void lockMayBeFree(CallbackArguments.NotifyLock notice) {
                                notices.add(notice);
                            }

                            @Override
                            public void copyEnded(CallbackArguments.Offload end) {
                                ended.add(end);
                            }
                        });
        told.begin(SESSION);
        var end =
                new CallbackArguments.Offload(
                        FILE, STATE, new CallbackArguments.Offload.Failed(Nfs4Status.IO, 3));
        var call = bytes(MINOR, sequence(1), end);
        told.answer(new XdrReader(MemorySegment.ofArray(call)));
        assertEquals(List.of(end), ended);
    }

    @Test
    void anotherSessionOrVersionIsRefused() throws Exception {
        var other = new CallbackArguments.Sequence(new SessionId(9, 9), 1, 0, 0, true, List.of());
        assertEquals(Nfs4Status.BADSESSION, answer(other).status());
        assertEquals(
                new CallbackCompound.Outcome(Nfs4Status.MINOR_VERS_MISMATCH, TAG, List.of()),
                answer(bytes(1, sequence(1))));
        assertEquals(
                Nfs4Status.OP_NOT_IN_SESSION, answer(new CallbackArguments.RecallSlot(1)).status());
        assertEquals(Nfs4Status.OK, answer().status());
        assertEquals(Nfs4Status.OK, answer(sequence(1)).status());
    }

    /** The number of the second callback is the last word but one. */
    private static byte[] withNumber(int number) {
        var call = bytes(MINOR, sequence(1), new CallbackArguments.RecallSlot(1));
        ByteBuffer.wrap(call).putInt(call.length - 8, number);
        return call;
    }

    @Test
    void whatThisClientNeverHasIsNotSupported() throws Exception {
        for (int number : new int[] {CB_LAYOUTRECALL, CB_NOTIFY_DEVICEID}) {
            var answer = channel().answer(new XdrReader(MemorySegment.ofArray(withNumber(number))));
            assertEquals(plain(number, Nfs4Status.NOTSUPP), answer.results().getLast());
        }
        for (int number : new int[] {0, 2, 16, CB_ILLEGAL, -1}) {
            var answer = channel().answer(new XdrReader(MemorySegment.ofArray(withNumber(number))));
            assertEquals(plain(CB_ILLEGAL, Nfs4Status.OP_ILLEGAL), answer.results().getLast());
            assertEquals(2, answer.results().size());
        }
    }

    @Test
    void tooManyCallbacksAreNotCarriedOut() throws Exception {
        var many = new CallbackArguments[BackChannel.CALLBACKS_MAX + 1];
        Arrays.fill(many, new CallbackArguments.RecallSlot(1));
        many[0] = sequence(1);
        assertEquals(Nfs4Status.TOO_MANY_OPS, answer(many).status());
    }

    @Test
    void eachTruncationIsMalformed() throws Exception {
        var call = bytes(MINOR, sequence(1), new CallbackArguments.Recall(STATE, false, FILE));
        for (int length = 0; length < call.length; length++) {
            var cut = Arrays.copyOf(call, length);
            assertThrows(XdrException.class, () -> answer(cut), "bytes " + length);
        }
    }
}
