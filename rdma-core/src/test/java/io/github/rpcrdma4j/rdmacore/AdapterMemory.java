package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: memory that callers pass again is registered once, and bytes reach the memory that is there
 * now. Only {@code interop/adapters} runs it.
 */
class AdapterMemory {
    private static final int LENGTH = 64 << 10;
    private static final int TIMES = 50;

    private AdapterEnd writer;
    private AdapterEnd reader;

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(Adapter.unusable().isEmpty(), () -> Adapter.unusable().orElseThrow());
        var provider = new RdmaCoreProvider();
        writer = new AdapterEnd(provider);
        reader = new AdapterEnd(provider);
        writer.connect(provider, reader);
    }

    @AfterEach
    void close() {
        // Without an adapter there is none.
        if (reader != null) {
            reader.close();
        }
        if (writer != null) {
            writer.close();
        }
    }

    private static MemorySegment pattern(MemorySegment memory, int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + seed));
        }
        return memory;
    }

    /** Sends a pattern into memory, which is registered only for that. */
    private void receiveInto(MemorySegment memory, int seed) throws Exception {
        try (var arena = Arena.ofShared();
                var region = reader.domain.register(memory)) {
            reader.receive(region);
            var sent = pattern(arena.allocate(memory.byteSize()), seed);
            try (var source = writer.domain.register(sent)) {
                writer.send(source);
                writer.next(Operation.SEND);
                reader.next(Operation.RECEIVE);
            }
            assertEquals(-1, sent.mismatch(memory), "seed " + seed);
        }
    }

    /** No registration is cached with siw. */
    private void assertCached(int count) {
        assertEquals(reader.domain.device.isSiw ? 0 : count, reader.domain.cachedRegistrations());
    }

    /**
     * Goal: cached registrations are not open to peers. Method: a peer guesses the local key. With
     * siw it can read the memory, so nothing is cached there.
     */
    @Test
    void aRegistrationWithoutAWindowIsNotOpenToPeers() throws Exception {
        try (var arena = Arena.ofShared();
                var sink = writer.domain.register(arena.allocate(LENGTH))) {
            var region = (AdapterRegion) reader.domain.register(arena.allocate(LENGTH));
            writer.queuePair.post(
                    List.of(
                            new WorkRequest.Read(
                                    1, Sge.of(sink), region.localKey(), region.address())));
            if (reader.domain.device.isSiw) {
                writer.next(Operation.READ);
            } else {
                writer.await(() -> writer.queuePair.state() == AdapterQueuePair.State.ERROR);
            }
            region.close();
            assertCached(1);
        }
    }

    @Test
    void memoryThatIsPassedAgainIsRegisteredOnce() throws Exception {
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(LENGTH);
            long before = reader.domain.registrations();
            for (int i = 0; i < TIMES; i++) {
                receiveInto(memory, i);
            }
            assertEquals(
                    reader.domain.device.isSiw ? TIMES : 1, reader.domain.registrations() - before);
            assertEquals(0, reader.domain.registeredRegions());
        }
    }

    /** A window of its own kind may need a registration of its own, which ends with it. */
    @Test
    void memoryIsOpenToThePeerOnlyWhileItsWindowIs() throws Exception {
        try (var arena = Arena.ofShared();
                var source = writer.domain.register(pattern(arena.allocate(LENGTH), 1))) {
            var memory = arena.allocate(LENGTH);
            int handle = 0;
            for (int i = 0; i < 3; i++) {
                try (var region = reader.domain.register(memory)) {
                    var window =
                            reader.queuePair.bind(region, 0, LENGTH, Set.of(Access.REMOTE_WRITE));
                    handle = window.handle();
                    writer.write(source, handle, window.address());
                    writer.next(Operation.WRITE);
                    window.invalidate();
                }
            }
            assertCached(1);
            memory.fill((byte) 0);
            writer.write(source, handle, memory.address());
            writer.await(() -> writer.queuePair.state() == AdapterQueuePair.State.ERROR);
            assertEquals(-1, arena.allocate(LENGTH).mismatch(memory));
        }
    }

    /**
     * Goal: the pages of a closed arena are not taken for those of the next arena at its address.
     * With a registration of the former, the bytes would never appear in the memory of the latter.
     */
    @Test
    void bytesReachTheNextArenaAtTheAddressOfAClosedOne() throws Exception {
        long address;
        try (var arena = Arena.ofShared()) {
            var memory = map(0, arena);
            address = memory.address();
            receiveInto(memory, 1);
            assertCached(1);
        }
        try (var arena = Arena.ofShared()) {
            var memory = map(address, arena);
            assertEquals(address, memory.address());
            receiveInto(memory, 2);
        }
    }

    @Test
    void theRegistrationOfAClosedArenaEnds() throws Exception {
        try (var arena = Arena.ofShared()) {
            receiveInto(arena.allocate(LENGTH), 1);
            assertCached(1);
        }
        writer.await(() -> reader.domain.cachedRegistrations() == 0);
    }

    @Test
    void thereIsABoundOfCachedRegistrations() throws Exception {
        try (var arena = Arena.ofShared()) {
            for (int i = 0; i < 100; i++) {
                receiveInto(arena.allocate(100), i);
            }
            assertCached(64);
        }
    }

    private static final int READ_AND_WRITE = 3;
    private static final int PRIVATE_AND_ANONYMOUS = 0x22;
    private static final int FIXED = 0x100000;

    /** Maps new pages, at an address if it is not 0, until the arena closes. */
    @SuppressWarnings("restricted")
    private static MemorySegment map(long wanted, Arena arena) throws Exception {
        int flags = PRIVATE_AND_ANONYMOUS | (wanted == 0 ? 0 : FIXED);
        try {
            long address =
                    (long) MMAP.invokeExact(wanted, (long) LENGTH, READ_AND_WRITE, flags, -1, 0L);
            return MemorySegment.ofAddress(address)
                    .reinterpret(LENGTH, arena, AdapterMemory::unmap);
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }

    private static void unmap(MemorySegment memory) {
        try {
            assertEquals(0, (int) MUNMAP.invokeExact(memory.address(), (long) LENGTH));
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }

    private static final MethodHandle MMAP =
            c(
                    "mmap",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG));
    private static final MethodHandle MUNMAP =
            c(
                    "munmap",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    @SuppressWarnings("restricted")
    private static MethodHandle c(String name, FunctionDescriptor type) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }
}
