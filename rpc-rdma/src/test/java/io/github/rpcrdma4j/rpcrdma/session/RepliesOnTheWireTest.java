package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.responder.CallMark;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: a responder sends correct messages in the correct order, seen by its peer. */
class RepliesOnTheWireTest {
    private static final int CREDITS = 4;
    private static final int SIZE = 5000;
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).build();

    private final ManualConnection manual = new ManualConnection(4096);
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private Bindings bindings = new Bindings(List.of(EchoProgram.BINDING));
    private Responder responder;
    private Guard guard = Guard.NONE;

    private void connect(boolean remoteInvalidation) throws Exception {
        responder =
                new Responder(
                        manual.endpoint,
                        new Counters(),
                        new ConnectionParameters(1024, 1024, remoteInvalidation),
                        OPTIONS.bounds(),
                        ConnectionQuota.UNLIMITED,
                        guard);
        manual.endpoint.afterEach(() -> SimulatedEnd.run(responder, this::serve));
        manual.connect(manual.endpoint::completed);
    }

    private void serve(ServedCall call) {
        try {
            responder.ended(
                    call,
                    call.execution()
                            .run(
                                    dispatcher,
                                    bindings,
                                    SimulatedEnd.NOWHERE,
                                    Optional.empty(),
                                    () -> {}));
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void say(int xid, RpcCall call, ChunkLists chunks) {
        manual.send(ManualConnection.call(xid, CREDITS, call, chunks));
    }

    private static Segment segment(Offer region) {
        return new Segment(region.handle(), (int) region.length(), region.address());
    }

    private WriteChunk writeChunk(int length) {
        return new WriteChunk(List.of(segment(manual.offer(length, Access.REMOTE_WRITE))));
    }

    private void store(int xid) {
        var data = MemorySegment.ofArray(new byte[SIZE]);
        // The data follows the RPC header, the number and the length word.
        var read = new ReadSegment(40 + 4 + 4, segment(manual.offer(SIZE, Access.REMOTE_READ)));
        say(
                xid,
                EchoProgram.store(1, data),
                new ChunkLists(List.of(read), List.of(), Optional.empty()));
    }

    private void fetch(int xid, WriteChunk... chunks) {
        say(
                xid,
                EchoProgram.fetch(SIZE, 1, MemorySegment.NULL),
                new ChunkLists(List.of(), List.of(chunks), Optional.empty()));
    }

    private void list(int xid) {
        say(
                xid,
                EchoProgram.list(SIZE, 1),
                new ChunkLists(List.of(), List.of(), Optional.of(writeChunk(2 * SIZE))));
    }

    @Test
    @Tag("5666-3.3-2")
    @Tag("8166-3.3.1-3")
    @Tag("8166-3.3.1-1")
    @Tag("8166-3.3.1-5")
    void grantsCreditsInEveryMessage() throws Exception {
        connect(false);
        say(1, EchoProgram.nullCall(), ChunkLists.EMPTY);
        list(2);
        manual.send(Golden.bytes("BAD-02"));
        manual.send(Golden.bytes("BAD-03"));
        assertEquals(4, manual.received.size());
        for (var heard : manual.received) {
            assertEquals(CREDITS, heard.header().credits());
        }
    }

    @Test
    @Tag("5666-6-1")
    @Tag("8166-3.3.1-7")
    void postsReceivesForItsGrantBeforeItReplies() throws Exception {
        connect(false);
        assertEquals(CREDITS, manual.endpoint.postedReceives());
        say(1, EchoProgram.nullCall(), ChunkLists.EMPTY);
        list(2);
        assertEquals(List.of(CREDITS, CREDITS), manual.receivesAtPosts);
    }

    @Test
    @Tag("5666-4.1-1")
    @Tag("5666-4.1-8")
    @Tag("8166-4.2.1-1")
    void repliesWithTheXidOfTheCall() throws Exception {
        connect(false);
        say(0x12345678, EchoProgram.nullCall(), ChunkLists.EMPTY);
        var heard = manual.onlyMessage();
        assertEquals(0x12345678, heard.header().xid());
        assertEquals(0x12345678, ByteBuffer.wrap(heard.bytes()).getInt(28));
        assertEquals(28 + 24, heard.bytes().length);
    }

    @Test
    @Tag("8166-3.4.2-1")
    @Tag("8166-6.1-2")
    @Tag("8166-8.2.2.4-1")
    void carriesOutNothingThatItsBindingDoesNotAllow() throws Exception {
        bindings = new Bindings(List.of());
        connect(false);
        store(1);
        var reply = ByteBuffer.wrap(manual.onlyMessage().bytes());
        assertEquals(28 + 24, reply.remaining());
        assertEquals(AcceptStatus.GARBAGE_ARGS.ordinal(), reply.getInt(28 + 20));
    }

    @Test
    @Tag("8166-4.5.3-2")
    @Tag("5666-4.2-5")
    void refusesACallWhoseChunksBrokeAConnection() throws Exception {
        Set<CallMark> broken = new HashSet<>();
        guard =
                new Guard() {
                    @Override
                    public boolean refuses(ServedCall call) {
                        return broken.contains(call.mark());
                    }

                    @Override
                    public void broke(CallMark call) {
                        broken.add(call);
                    }
                };
        connect(false);
        // The other side has never offered this handle.
        var wrong = new ReadSegment(48, new Segment(0x0bad_bad0, SIZE, 0));
        say(
                7,
                EchoProgram.store(1, MemorySegment.ofArray(new byte[SIZE])),
                new ChunkLists(List.of(wrong), List.of(), Optional.empty()));
        assertEquals(List.of(), manual.received);
        assertEquals(QueuePair.State.ERROR, manual.state());
        assertEquals(List.of(7), broken.stream().map(CallMark::xid).toList());

        var next = new ManualConnection(4096);
        responder =
                new Responder(
                        next.endpoint,
                        new Counters(),
                        new ConnectionParameters(1024, 1024, false),
                        OPTIONS.bounds(),
                        ConnectionQuota.UNLIMITED,
                        guard);
        next.endpoint.afterEach(() -> SimulatedEnd.run(responder, this::serve));
        next.connect(next.endpoint::completed);
        next.send(
                ManualConnection.call(
                        7,
                        CREDITS,
                        EchoProgram.store(1, MemorySegment.ofArray(new byte[SIZE])),
                        new ChunkLists(List.of(wrong), List.of(), Optional.empty())));
        assertEquals(
                new Version1Header.ChunkError(7, Version1Header.VERSION, CREDITS),
                next.onlyMessage().header());
        assertEquals(QueuePair.State.READY, next.state());
    }

    @Test
    void givesACallToNoProgramOnceItsConnectionIsLost() throws Exception {
        connect(false);
        manual.endpoint.afterEach(() -> {});
        say(1, EchoProgram.nullCall(), ChunkLists.EMPTY);
        assertEquals(1, responder.liveCalls());
        manual.endpoint.close("the test says so");
        assertNull(responder.next());
        assertEquals(0, responder.liveCalls());
        assertEquals(0, manual.pool.leased());
    }

    @Test
    void acceptsACallWithoutChunksWhoseXidIsBroken() throws Exception {
        guard =
                new Guard() {
                    @Override
                    public boolean refuses(ServedCall call) {
                        return true;
                    }

                    @Override
                    public void broke(CallMark call) {}
                };
        connect(false);
        say(1, EchoProgram.nullCall(), ChunkLists.EMPTY);
        assertEquals(28 + 24, manual.onlyMessage().bytes().length);
    }

    @Test
    @Tag("8166-4.6.2-2")
    void dropsAnRdmaDoneOfAnyLength() throws Exception {
        connect(false);
        manual.send(new Version1Header.Done(1, CREDITS), new byte[0]);
        manual.send(new Version1Header.Done(1, CREDITS), new byte[100]);
        assertEquals(List.of(), manual.received);
        assertEquals(CREDITS, manual.endpoint.postedReceives());
        assertEquals(QueuePair.State.READY, manual.state());
    }

    @Test
    @Tag("8166-3.5.3-3")
    void takesALongCallOfAShortMessage() throws Exception {
        connect(false);
        var region = manual.offer(40, Access.REMOTE_READ);
        try (var message = new XdrWriter(manual.pool)) {
            CallHeader.encode(message, 9, EchoProgram.PROGRAM, 1, 0, RawAuth.NONE);
            region.segment().copyFrom(message.reducedStream());
        }
        var read = new ReadSegment(0, segment(region));
        manual.send(
                new Version1Header.NoMsg(
                        9, CREDITS, new ChunkLists(List.of(read), List.of(), Optional.empty())),
                new byte[0]);
        assertEquals(
                new Version1Header.Msg(9, CREDITS, ChunkLists.EMPTY),
                manual.onlyMessage().header());
    }

    @Test
    @Tag("8166-3.4.4-2")
    @Tag("8166-8.1.4-1")
    @Tag("5666-4.2-5")
    void fetchesNothingThatIsFarTooLong() throws Exception {
        connect(false);
        var region = manual.offer(SIZE, Access.REMOTE_READ);
        var read = new ReadSegment(48, new Segment(region.handle(), 0xffff_ffff, region.address()));
        say(
                9,
                EchoProgram.store(1, MemorySegment.ofArray(new byte[SIZE])),
                new ChunkLists(List.of(read), List.of(), Optional.empty()));
        assertEquals(new Version1Header.ChunkError(9, 1, CREDITS), manual.onlyMessage().header());
        assertEquals(QueuePair.State.READY, manual.state());
    }

    /** Goal: a responder exposes no memory. Method: Read, Write and Reply chunks, and an error. */
    @Test
    @Tag("8166-3.1-1")
    @Tag("8166-4.3.1-2")
    @Tag("8166-4.6.1-1")
    @Tag("8166-4.6.2-1")
    @Tag("8166-3.3.1-9")
    void offersNoMemoryOfItsOwn() throws Exception {
        connect(false);
        store(1);
        fetch(2, writeChunk(SIZE));
        list(3);
        fetch(4, writeChunk(SIZE - 1));
        assertEquals(4, manual.received.size());
        for (var heard : manual.received) {
            switch (heard.header()) {
                case Version1Header.Msg(_, _, var chunks) ->
                        assertEquals(List.of(), chunks.readList());
                case Version1Header.NoMsg(_, _, var chunks) ->
                        assertEquals(List.of(), chunks.readList());
                case Version1Header.ChunkError(var xid, _, _) -> assertEquals(4, xid);
                case Version1Header.VersionError _, Version1Header.Done _ ->
                        throw new AssertionError(heard.header().toString());
            }
        }
        assertEquals(0, manual.windows());
        assertEquals(QueuePair.State.READY, manual.state());
    }

    @Test
    @Tag("8797-4.1-1")
    @Tag("8797-4.1-2")
    @Tag("8797-4.1-5")
    void invalidatesTheOneHandleOfTheCallWithItsReply() throws Exception {
        connect(true);
        var chunk = writeChunk(SIZE);
        fetch(1, chunk);
        var completion = manual.received.get(0).completion();
        assertTrue(completion.invalidated());
        assertEquals(chunk.segments().getFirst().handle(), completion.invalidatedHandle());
        store(2);
        assertTrue(manual.received.get(1).completion().invalidated());
        // With two handles, no handle, or an error, the responder invalidates nothing.
        fetch(3, writeChunk(SIZE), writeChunk(SIZE));
        say(4, EchoProgram.nullCall(), ChunkLists.EMPTY);
        fetch(5, writeChunk(SIZE - 1));
        for (var heard : manual.received.subList(2, 5)) {
            assertFalse(heard.completion().invalidated());
        }
        assertEquals(
                new Version1Header.ChunkError(5, 1, CREDITS), manual.received.getLast().header());
    }

    @Test
    @Tag("8797-4.1-3")
    void invalidatesNothingUnlessBothSidesSaidSo() throws Exception {
        connect(false);
        fetch(1, writeChunk(SIZE));
        store(2);
        for (var heard : manual.received) {
            assertFalse(heard.completion().invalidated());
        }
        assertEquals(2, manual.otherWindows());
    }
}
