package io.github.rpcrdma4j.verbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** One side of a connection under test, with all its completions. */
final class End implements AutoCloseable {
    static final int SEND_QUEUE = 64;
    static final int RECEIVE_QUEUE = 64;
    static final int GATHER_MAX = 300;

    final ProtectionDomain domain;
    final CompletionQueue completionQueue;
    final QueuePair queuePair;
    final List<Completion> completed = new ArrayList<>();
    final List<Offer> offers = new ArrayList<>();
    private final List<MemoryRegion> registered = new ArrayList<>();

    End(RdmaProvider provider, int inboundReads, int outboundReads) {
        this(provider, provider.createCompletionQueue(), inboundReads, outboundReads);
    }

    End(
            RdmaProvider provider,
            CompletionQueue completionQueue,
            int inboundReads,
            int outboundReads) {
        this.domain = provider.allocateProtectionDomain();
        this.completionQueue = completionQueue;
        this.queuePair =
                provider.createQueuePair(
                        new QueuePairOptions(
                                domain,
                                completionQueue,
                                SEND_QUEUE,
                                RECEIVE_QUEUE,
                                inboundReads,
                                outboundReads,
                                GATHER_MAX));
    }

    static MemorySegment memory(long length) {
        return Arena.ofAuto().allocate(Math.max(length, 1)).asSlice(0, length);
    }

    static MemorySegment pattern(long length, int seed) {
        var memory = memory(length);
        for (long i = 0; i < length; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) ((i * 31 + seed) ^ (i >>> 8)));
        }
        return memory;
    }

    MemoryRegion register(MemorySegment memory) {
        var region = domain.register(memory);
        registered.add(region);
        return region;
    }

    /** Opens memory to the peer. The end must be connected. */
    Offer offer(MemorySegment memory, Access... access) {
        var set = EnumSet.noneOf(Access.class);
        set.addAll(List.of(access));
        var window = queuePair.bind(register(memory), 0, memory.byteSize(), set);
        var offer = new Offer(window, memory);
        offers.add(offer);
        return offer;
    }

    /** Memory that is or was open to the peer. */
    record Offer(MemoryWindow window, MemorySegment memory) {
        int handle() {
            return window.handle();
        }

        long address() {
            return window.address();
        }
    }

    /** Posts a receive and returns its memory. */
    MemorySegment receive(long id, long length) {
        var memory = memory(length);
        queuePair.postReceive(id, register(memory), 0, length);
        return memory;
    }

    private Sge whole(MemorySegment memory) {
        return Sge.of(register(memory));
    }

    List<Sge> gather(MemorySegment... pieces) {
        return Stream.of(pieces).map(this::whole).toList();
    }

    void send(long id, MemorySegment... pieces) {
        queuePair.post(List.of(new WorkRequest.Send(id, gather(pieces))));
    }

    void sendInvalidating(long id, int handle, MemorySegment... pieces) {
        queuePair.post(List.of(new WorkRequest.Send(id, gather(pieces), OptionalInt.of(handle))));
    }

    void write(long id, MemorySegment data, int handle, long address) {
        queuePair.post(List.of(new WorkRequest.Write(id, gather(data), handle, address)));
    }

    void read(long id, MemoryRegion sink, long length, int handle, long address) {
        queuePair.post(
                List.of(new WorkRequest.Read(id, new Sge(sink, 0, length), handle, address)));
    }

    void poll(long nanos) throws InterruptedException {
        completionQueue.poll(completed, nanos);
    }

    /** Returns the completions of one kind, in order. */
    List<Completion> of(Completion.Operation operation) {
        return completed.stream()
                .filter(each -> each.queuePair() == queuePair && each.operation() == operation)
                .toList();
    }

    long count(Completion.Operation operation) {
        return of(operation).size();
    }

    void closeRegions() {
        registered.forEach(MemoryRegion::close);
    }

    @Override
    public void close() {
        queuePair.close();
        offers.forEach(each -> each.window().invalidate());
        closeRegions();
        assertEquals(0, queuePair.boundWindows());
        assertEquals(0, domain.registeredRegions());
        domain.close();
    }
}
