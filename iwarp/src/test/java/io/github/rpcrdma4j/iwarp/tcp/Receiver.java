package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.ddp.ReceiveQueue;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.iwarp.rdmap.Outcome;
import io.github.rpcrdma4j.iwarp.rdmap.Placement;
import io.github.rpcrdma4j.iwarp.rdmap.SendElement;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareRegion;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;

/** A receiving end that records all effects of its stream. */
final class Receiver implements Placement.Effects {
    static final int REGION_BYTES = 4096;
    static final int RECEIVE_BYTES = 300;

    final SoftwareDomain domain = new SoftwareDomain(new Random(7));
    final SoftwareWindows windows = domain.windows();
    final Open target = open(Access.REMOTE_WRITE);
    final Open source = open(Access.REMOTE_READ);
    final Sink sink =
            new Sink(
                    domain.register(Arena.ofAuto().allocate(REGION_BYTES)),
                    windows.drawHandle(),
                    windows.drawAddress());
    final Open doomed = open(Access.REMOTE_READ);
    final ReceiveQueue receives = new ReceiveQueue(8);
    private final ArrayDeque<SendElement> reads = new ArrayDeque<>();
    private final List<MemorySegment> buffers = new ArrayList<>();
    final List<String> seen = new ArrayList<>();
    private final Inbound inbound;

    Receiver(boolean crcs) {
        for (int i = 0; i < 4; i++) {
            var buffer = Arena.ofAuto().allocate(RECEIVE_BYTES);
            buffers.add(buffer);
            receives.add(i, domain.register(buffer), 0, RECEIVE_BYTES);
        }
        reads.add(read(100));
        reads.add(read(0));
        inbound =
                new Inbound(new Placement(windows, receives, this, false), crcs, new ScratchPool());
    }

    /**
     * The sink of RDMA Reads.
     *
     * @param address the address by which the peer names the first byte of the region
     */
    record Sink(SoftwareRegion region, int handle, long address) {
        MemorySegment segment() {
            return region.segment();
        }
    }

    /** Returns an RDMA Read. All Reads have one sink. */
    private SendElement read(int length) {
        var read =
                SendElement.of(
                        new WorkRequest.Read(length, new Sge(sink.region, 50, length), 1, 1));
        read.nameSink(sink.handle, sink.address + 50);
        return read;
    }

    private Open open(Access access) {
        return Open.of(domain, windows, Arena.ofAuto().allocate(REGION_BYTES), access);
    }

    /** Receives a whole stream in one piece, and returns how it ended. */
    String take(byte[] stream) throws Exception {
        return take(stream, () -> Integer.MAX_VALUE);
    }

    /** Receives a whole stream in the given pieces, and returns how it ended. */
    String take(byte[] stream, IntSupplier pieces) throws Exception {
        var dribble = new Dribble(stream, pieces);
        while (true) {
            dribble.arrive();
            var outcome = inbound.read(dribble, Inbound.TURN_BYTES);
            switch (outcome) {
                case Outcome.Nothing(), Outcome.More() -> {}
                case Outcome.Closed _, Outcome.Broken _, Outcome.Terminated _, Outcome.Ended _ -> {
                    return outcome.toString();
                }
            }
        }
    }

    /** Receives the start of a stream. */
    void begin(byte[] bytes) throws Exception {
        var dribble = new Dribble(bytes, () -> bytes.length);
        dribble.arrive();
        while (!dribble.isDrained()) {
            assertEquals("More[]", inbound.read(dribble, Inbound.TURN_BYTES).toString());
        }
    }

    /** Reads while no bytes arrive, and returns the outcome. */
    String findNothing() throws Exception {
        // Without a call of arrive, the piece does not arrive.
        return inbound.read(new Dribble(new byte[1], () -> 1), Inbound.TURN_BYTES).toString();
    }

    /** Returns whether the received bytes end in the middle of a message. */
    boolean isMidMessage() {
        return inbound.isMidMessage();
    }

    /** Returns all bytes that a peer could write. */
    byte[] memory() {
        var all = new byte[REGION_BYTES * 2 + 4 * RECEIVE_BYTES];
        copy(target.segment(), all, 0);
        copy(sink.segment(), all, REGION_BYTES);
        for (int i = 0; i < 4; i++) {
            copy(buffers.get(i), all, 2 * REGION_BYTES + i * RECEIVE_BYTES);
        }
        return all;
    }

    private static void copy(MemorySegment from, byte[] to, int at) {
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, to, at, (int) from.byteSize());
    }

    @Override
    public void received(ReceiveQueue.Posted receive, long length, DdpSegment.Untagged last) {
        seen.add("received " + receive.workRequestId() + " of " + length + " " + last.opcode());
    }

    @Override
    public void receiveFailed(ReceiveQueue.Posted receive, Status status) {
        seen.add(status + " " + receive.workRequestId());
    }

    @Override
    public boolean readRequested(SendElement response) {
        seen.add("read request for " + response.length());
        return response.length() < 1000;
    }

    @Override
    public SendElement oldestRead() {
        return reads.peekFirst();
    }

    @Override
    public void readDone() {
        seen.add("read " + reads.removeFirst().length());
    }

    @Override
    public void sinkInvalidated() {
        seen.add("sink invalidated");
    }

    @Override
    public void frameReceived() {}
}
