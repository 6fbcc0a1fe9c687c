package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.CREDITS;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a done notice that no call can carry goes with a NULL call, if its credit could not come
 * back otherwise. Method: the test plays the server of a client of ours, over iWARP.
 */
class NullNoticesByHandTest {
    private static final int RECEIVE_BYTES = 8192;
    private static final int SIZE = 50_000;

    private static ClientUnderTest connect(int readChunks) throws Exception {
        var fetched = FetchedReplies.DEFAULT.withReplyChunks(ReplyChunks.NEVER);
        var version2 =
                Version2.DEFAULT
                        .withSpeaks1(false)
                        .withoutTransmissions()
                        .withFetchedReplies(fetched);
        var test =
                new ClientUnderTest(
                        RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(version2)),
                        RECEIVE_BYTES);
        test.introduce(new ReadChunks(readChunks));
        test.call(EchoProgram.nullCall());
        return test;
    }

    /**
     * A call whose reply the client fetched.
     *
     * @param next the message that the client sent then
     */
    private record FetchedCall(int xid, ManualPeer.ReceivedMessage next) {}

    private static FetchedCall fetch(ClientUnderTest test) throws Exception {
        var calling = test.start(EchoProgram.list(SIZE, 1));
        int xid = test.hear().xid();
        byte[] reply = test.success(xid, out -> out.opaque(EchoProgram.pattern(SIZE, 1)));
        var memory = test.server.offer(reply.length, Access.REMOTE_READ);
        memory.segment().copyFrom(MemorySegment.ofArray(reply));
        var reads = List.of(new ReadSegment(0, memory.part(0, reply.length)));
        test.say(
                new Version2Header.NoMsg(
                        xid,
                        CREDITS,
                        Direction.REPLY,
                        new ChunkLists(reads, List.of(), Optional.empty())),
                new byte[0]);
        // The server answers RDMA Reads while it waits for a message.
        var next = test.server.receive();
        calling.get().close();
        return new FetchedCall(xid, next);
    }

    @Test
    @Tag("RPR-5.2.3-4")
    void aNullCallCarriesTheNoticeToAServerThatAcknowledgesNone() throws Exception {
        try (var test = connect(ReadChunks.EXPOSES | ReadChunks.ACCEPTS_CALLS_WITH_NOTICES)) {
            // More notices than credits: each comes back with its reply.
            for (int i = 0; i < 2 * CREDITS; i++) {
                var fetched = fetch(test);
                var notice = header(fetched.next());
                var call = operation(Operation.CallWithDoneNotices.class, notice);
                assertEquals(List.of(fetched.xid()), call.doneXids());
                assertEquals(ChunkLists.EMPTY, call.chunks());
                var bytes = MemorySegment.ofArray(fetched.next().bytes());
                var rpc = CallHeader.decode(new XdrReader(bytes.asSlice(notice.encodedLength())));
                assertEquals(EchoProgram.PROGRAM, rpc.program());
                assertEquals(0, rpc.procedure());
                test.succeed(notice.xid(), CREDITS, _ -> {});
            }
        }
    }

    @Test
    @Tag("RPR-5.2.3-2")
    void aServerThatAcknowledgesGetsANoticeOfItsOwn() throws Exception {
        try (var test =
                connect(
                        ReadChunks.EXPOSES
                                | ReadChunks.ACCEPTS_CALLS_WITH_NOTICES
                                | ReadChunks.ACKNOWLEDGES)) {
            var fetched = fetch(test);
            assertEquals(fetched.xid(), header(fetched.next()).xid());
            operation(Operation.DoneNotice.class, header(fetched.next()));
            test.say(fetched.xid(), new Operation.DoneAck(1));
        }
    }

    @Test
    void aServerThatTakesNoNoticesWithCallsGetsNoNullCall() throws Exception {
        try (var test = connect(ReadChunks.EXPOSES)) {
            var fetched = fetch(test);
            assertEquals(fetched.xid(), header(fetched.next()).xid());
            operation(Operation.DoneNotice.class, header(fetched.next()));
            assertInstanceOf(
                    Version2Header.Msg.class, header(test.call(EchoProgram.nullCall()).getFirst()));
        }
    }
}
