package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: memory that callers pass again is pinned once, and bytes reach the memory that is there
 * now. Only {@code interop/adapters} runs it.
 */
class AdapterMemory {
    private static final Duration SETUP = Duration.ofSeconds(10);
    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final int LENGTH = 64 << 10;
    private static final int TIMES = 50;

    private Side writer;
    private Side reader;

    /** One side of the connection, with all its completions. */
    private static final class Side implements AutoCloseable {
        final AdapterDomain domain;
        final AdapterCompletionQueue queue;
        final AdapterQueuePair queuePair;
        final List<Completion> completed = new ArrayList<>();

        Side(RdmaCoreProvider provider) {
            domain = (AdapterDomain) provider.allocateProtectionDomain();
            queue = (AdapterCompletionQueue) provider.createCompletionQueue();
            queuePair =
                    (AdapterQueuePair)
                            provider.createQueuePair(
                                    new QueuePairOptions(domain, queue, 16, 16, 4, 4, 4));
        }

        /** Waits for one more completion of a kind, and returns it. */
        Completion next(Operation operation) throws InterruptedException {
            long start = System.nanoTime();
            while (true) {
                for (var each : completed) {
                    if (each.operation() == operation) {
                        completed.remove(each);
                        assertTrue(each.succeeded(), each::toString);
                        return each;
                    }
                }
                queue.poll(completed, 1_000_000);
                if (System.nanoTime() - start > PATIENCE_NANOS) {
                    fail("no completion of " + operation);
                }
            }
        }

        @Override
        public void close() {
            queuePair.close();
            queue.close();
            domain.close();
        }
    }

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(Adapter.unusable().isEmpty(), () -> Adapter.unusable().orElseThrow());
        var provider = new RdmaCoreProvider();
        var host = InetAddress.getByName(System.getProperty("adapter.address"));
        writer = new Side(provider);
        reader = new Side(provider);
        try (var listener = provider.listen(new InetSocketAddress(host, 0));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var accepted =
                    threads.submit(
                            () -> {
                                var request = listener.accept(SETUP).orElseThrow();
                                request.accept(reader.queuePair, new byte[0]);
                                return null;
                            });
            writer.queuePair.connect(listener.address(), new byte[0], SETUP);
            accepted.get();
        }
    }

    @AfterEach
    void close() {
        writer.close();
        reader.close();
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
            reader.queuePair.postReceive(1, region, 0, memory.byteSize());
            var sent = pattern(arena.allocate(memory.byteSize()), seed);
            try (var source = writer.domain.register(sent)) {
                writer.queuePair.post(List.of(new WorkRequest.Send(1, List.of(Sge.of(source)))));
                writer.next(Operation.SEND);
                reader.next(Operation.RECEIVE);
            }
            assertEquals(-1, sent.mismatch(memory), "seed " + seed);
        }
    }

    @Test
    void memoryThatIsPassedAgainIsPinnedOnce() throws Exception {
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(LENGTH);
            long before = reader.domain.pins();
            for (int i = 0; i < TIMES; i++) {
                receiveInto(memory, i);
            }
            assertEquals(1, reader.domain.pins() - before);
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
                    write(source, handle, window.address());
                    writer.next(Operation.WRITE);
                    window.invalidate();
                }
            }
            assertEquals(1, reader.domain.keptRegistrations());
            memory.fill((byte) 0);
            write(source, handle, memory.address());
            await(() -> writer.queuePair.state() == AdapterQueuePair.State.ERROR);
            assertEquals(-1, arena.allocate(LENGTH).mismatch(memory));
        }
    }

    private void write(MemoryRegion source, int handle, long address) {
        writer.queuePair.post(
                List.of(new WorkRequest.Write(1, List.of(Sge.of(source)), handle, address)));
    }

    /**
     * Goal: the pages of a closed arena are not taken for those of the next arena at its address.
     * With a registration of the former, the bytes would never appear in the memory of the latter.
     */
    @Test
    void aClosedArenaIsNeverWrittenTo() throws Exception {
        long address;
        try (var arena = Arena.ofShared()) {
            var memory = map(0, arena);
            address = memory.address();
            receiveInto(memory, 1);
            assertEquals(1, reader.domain.keptRegistrations());
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
            assertEquals(1, reader.domain.keptRegistrations());
        }
        await(() -> reader.domain.keptRegistrations() == 0);
    }

    @Test
    void thereIsABoundOfKeptRegistrations() throws Exception {
        try (var arena = Arena.ofShared()) {
            for (int i = 0; i < 100; i++) {
                receiveInto(arena.allocate(100), i);
            }
            assertEquals(64, reader.domain.keptRegistrations());
        }
    }

    private void await(BooleanSupplier wanted) throws InterruptedException {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean()) {
            writer.queue.poll(writer.completed, 1_000_000);
            assertTrue(System.nanoTime() - start < PATIENCE_NANOS);
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
