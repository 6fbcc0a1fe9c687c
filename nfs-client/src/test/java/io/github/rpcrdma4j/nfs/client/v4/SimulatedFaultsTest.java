package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Goal: both sides agree on slots and on open files, also if an operation is put off, and if a
 * reply is lost. Method: a client at the state of the product's server, in virtual time; each test
 * says what goes wrong. Runs with random faults found these.
 */
class SimulatedFaultsTest {
    private static final int SLOTS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int BLOCK = 512;

    private final SimWorld world = new SimWorld(1, SimOptions.CALM);
    private final SimThreads threads = new SimThreads(world);
    private final SimFaults faults = new SimFaults(world.random(), SLOTS);
    private final SimServer server = new SimServer(world, faults, _ -> {});
    private final SimConnector network = new SimConnector(server, threads, "host");
    private Nfs4Service service;
    private FileHandle root;
    private FileHandle file;

    /** What a test does while the server and the client run. */
    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private void simulate(Work work) {
        var made = server.files.make("file");
        file = Nfs4Values.handle(SimFiles.handle(made.id));
        var options =
                ClientOptions.DEFAULT.withTimeout(TIMEOUT).withVersion(NfsVersion.VERSION_4_2);
        threads.run(
                () -> {
                    try {
                        service =
                                Nfs4Service.connect(
                                        network,
                                        options,
                                        new ClientOwner(1, Compounds.NO_TAG),
                                        threads);
                        try {
                            root = service.mount(PathName.of("/"));
                            work.run();
                            requireAgreement();
                        } finally {
                            service.close();
                        }
                    } catch (IOException | InterruptedException failure) {
                        throw new AssertionError(failure);
                    }
                });
    }

    /** Checks that soon all slots are free, and no file is open. */
    private void requireAgreement() throws InterruptedException {
        threads.sleep(10 * SimServer.SECOND);
        var slots = service.session().slots().live().slots();
        assertEquals(SLOTS, slots.free(), "free slots");
        assertEquals(0, server.state.snapshots().counts().opens(), "open files at the server");
    }

    private static Nfs4Status[] often(Nfs4Status status) {
        var all = new Nfs4Status[100];
        Arrays.fill(all, status);
        return all;
    }

    private OpenFile open() throws IOException, InterruptedException {
        return service.open(file, OpenFile.Mode.BOTH, "open");
    }

    private static void write(
            FilePipeline pipeline, OpenFile open, MemorySegment data, Runnable then)
            throws IOException {
        pipeline.write(open, 0, Stability.FILE_SYNC, data, "write", _ -> then.run());
    }

    /** DELAY of SEQUENCE: the server works on the first copy of the call. */
    @Test
    void aPipelineSendsACallAgainOnWhichTheServerStillWorks() {
        var written = new AtomicInteger();
        simulate(
                () -> {
                    try (var arena = Arena.ofShared();
                            var open = open();
                            var pipeline = service.pipeline()) {
                        faults.answer(Opcode.SEQUENCE, Nfs4Status.DELAY, Nfs4Status.DELAY);
                        write(pipeline, open, arena.allocate(BLOCK), written::incrementAndGet);
                        while (pipeline.poll()) {
                            assertTrue(written.get() <= 1);
                        }
                    }
                });
        assertEquals(1, written.get());
    }

    @Test
    void aSlotIsFreeAgainAfterACallThatTheServerPutOffForTooLong() {
        simulate(
                () -> {
                    faults.answer(Opcode.SEQUENCE, often(Nfs4Status.DELAY));
                    assertThrows(IOException.class, () -> service.mount(PathName.of("/")));
                    faults.forgetAnswers();
                });
    }

    @Test
    void aSlotIsFreeAgainAfterARenewalThatTheServerPutOff() {
        simulate(
                () -> {
                    faults.answer(Opcode.SEQUENCE, Nfs4Status.DELAY);
                    threads.sleep(20 * SimServer.SECOND);
                });
    }

    @Test
    void aPipelineThatIsClosedBeforeItsRepliesGivesItsSlotsBack() {
        simulate(
                () -> {
                    try (var arena = Arena.ofShared();
                            var open = open()) {
                        try (var pipeline = service.pipeline()) {
                            for (int i = 0; i < SLOTS; i++) {
                                write(pipeline, open, arena.allocate(BLOCK), () -> {});
                            }
                            assertTrue(pipeline.poll());
                        }
                    }
                });
    }

    @Test
    void aPipelineDoesNotWaitForeverForASlot() {
        simulate(
                () -> {
                    try (var arena = Arena.ofShared();
                            var open = open();
                            var pipeline = service.pipeline()) {
                        var slots = service.session().slots();
                        var taken = slots.tryTake().orElseThrow();
                        var other = slots.tryTake().orElseThrow();
                        write(pipeline, open, arena.allocate(BLOCK), () -> {});
                        assertThrows(IOException.class, pipeline::poll);
                        slots.settle(taken, Outcome.UNSENT);
                        slots.settle(other, Outcome.UNSENT);
                    }
                });
    }

    @Test
    void aFileThatWasMadeAndNotClosedIsClosedLater() {
        simulate(
                () -> {
                    faults.answer(Opcode.CLOSE, Nfs4Status.DELAY, Nfs4Status.DELAY);
                    make();
                });
    }

    private void make() throws IOException, InterruptedException {
        service.makeFile(
                new RemotePlace(root, "made"), AttributeChanges.ofMode(0600), true, "make");
    }

    @Test
    void aFileIsMadeOnceAlsoIfItsAttributesAreNotTold() {
        simulate(
                () -> {
                    faults.answer(Opcode.GETATTR, Nfs4Status.DELAY);
                    make();
                });
        assertTrue(server.files.names.containsKey("made"));
    }

    @Test
    void anOpenWhoseReplyIsLostIsClosedLater() {
        simulate(
                () -> {
                    // Without a retry time, the call is sent twice.
                    faults.loseReplies(2);
                    assertThrows(IOException.class, this::open);
                });
    }

    /** The server refuses to say that it still works on the OPEN. */
    @Test
    void anOpenThatIsCarriedOutLateIsClosedAfterwards() {
        simulate(
                () -> {
                    faults.pauseOnce(3 * SimServer.SECOND);
                    world.after(SimServer.SECOND, Thread.currentThread()::interrupt);
                    assertThrows(InterruptedException.class, this::open);
                });
    }

    @Test
    void aFileIsClosedLaterIfItsCloseIsNotAnswered() {
        simulate(
                () -> {
                    var open = open();
                    faults.answer(Opcode.CLOSE, often(Nfs4Status.DELAY));
                    open.close();
                    faults.forgetAnswers();
                });
    }

    @Test
    void aFileThatIsClosedByAnInterruptedThreadIsClosedAtTheServer() {
        simulate(
                () -> {
                    var open = open();
                    Thread.currentThread().interrupt();
                    open.close();
                    assertTrue(Thread.interrupted());
                });
    }
}
