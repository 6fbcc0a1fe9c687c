package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;

/** The memory of an end that a test operates: registered at each use, and never deregistered. */
public record ManualMemory(ProtectionDomain domain, QueuePair pair) {
    /** Exposes memory to the other end. The queue pair must be connected. */
    Offer offer(MemorySegment memory, Access access) {
        var region = domain.register(memory);
        return new Offer(pair.bind(region, 0, memory.byteSize(), EnumSet.of(access)), memory);
    }

    /** Exposes new memory to the other end. The queue pair must be connected. */
    Offer offer(long length, Access access) {
        return offer(memory(length), access);
    }

    private static MemorySegment memory(long length) {
        return Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
    }

    public void postReceive(long id, MemorySegment buffer) {
        pair.postReceive(id, domain.register(buffer), 0, buffer.byteSize());
    }

    MemoryRegion sink(long length) {
        return domain.register(memory(length));
    }

    /** Copies bytes to registered memory for a work request. */
    List<Sge> gather(byte[] bytes) {
        var memory = memory(bytes.length);
        memory.copyFrom(MemorySegment.ofArray(bytes));
        return List.of(Sge.of(domain.register(memory)));
    }

    public WorkRequest send(long id, byte[] message, OptionalInt invalidate) {
        return new WorkRequest.Send(id, gather(message), invalidate);
    }

    WorkRequest write(long id, byte[] bytes, Segment target) {
        return new WorkRequest.Write(id, gather(bytes), target.handle(), target.offset());
    }

    WorkRequest read(long id, MemoryRegion sink, Segment source) {
        return new WorkRequest.Read(id, Sge.of(sink), source.handle(), source.offset());
    }
}
