package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;

/**
 * A client at the state of the product's server, in virtual time: nothing goes wrong but what a
 * test says.
 */
abstract class SimulatedClient {
    static final int SLOTS = 3;
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    static final int BLOCK = 512;

    final SimWorld world = new SimWorld(1, SimOptions.CALM);
    final SimThreads threads = new SimThreads(world);
    private final NfsVersion version;
    final SimFaults faults;
    final SimServer server;
    final SimConnector network;
    Nfs4Service service;
    FileHandle root;
    SimFiles.SimFile made;
    FileHandle file;

    /** By version 4.2. */
    SimulatedClient() {
        this(NfsVersion.VERSION_4_2);
    }

    SimulatedClient(NfsVersion version) {
        this.version = version;
        faults = new SimFaults(world.random(), version.minorNumber(), SLOTS);
        server = new SimServer(world, faults, _ -> {});
        network = new SimConnector(server, threads, "host");
    }

    /** What a test does while the server and the client run. */
    interface Work {
        void run() throws IOException, InterruptedException;
    }

    void simulate(Work work) {
        made = server.files.make("file");
        file = Nfs4Values.handle(SimFiles.handle(made.id));
        threads.run(
                () -> {
                    try {
                        service = connect(network, 1);
                        try {
                            root = service.mount(PathName.of("/"));
                            if (version == NfsVersion.VERSION_4_0) {
                                // It opens files by their names.
                                service.lookup(new RemotePlace(root, "file"), "lookup");
                            }
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

    Nfs4Service connect(SimConnector through, int name) throws IOException, InterruptedException {
        var options = ClientOptions.DEFAULT.withTimeout(TIMEOUT).withVersion(version);
        var owner = new ClientOwner(1, OpaqueName.of(new byte[] {(byte) name}));
        return Nfs4Service.connect(through, options, owner, threads);
    }

    /** Checks that soon all slots are free, and no file is open. */
    private void requireAgreement() throws InterruptedException {
        threads.sleep(10 * SimServer.SECOND);
        if (version != NfsVersion.VERSION_4_0) {
            var slots = service.session().slots().live().slots();
            // The lease may just be renewed.
            threads.await(() -> slots.free() == SLOTS, SimServer.SECOND);
            assertEquals(SLOTS, slots.free(), "free slots");
        }
        assertEquals(0, server.state.snapshots().counts().opens(), "open files at the server");
    }

    static Nfs4Status[] often(Nfs4Status status) {
        var all = new Nfs4Status[100];
        Arrays.fill(all, status);
        return all;
    }

    OpenFile open() throws IOException, InterruptedException {
        return service.open(file, OpenFile.Mode.BOTH, "open");
    }

    static void write(FilePipeline pipeline, OpenFile open, MemorySegment data, Runnable then)
            throws IOException {
        pipeline.write(open, 0, Stability.FILE_SYNC, data, "write", _ -> then.run());
    }

    void write(OpenFile open, int value) throws IOException, InterruptedException {
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(BLOCK).fill((byte) value);
            service.write(open, 0, Stability.FILE_SYNC, data, "write");
        }
    }

    /** Leaves a call after a second: the server carries it out two seconds later. */
    void leave(Work call) {
        leave(call, 3);
    }

    void leave(Work call, int seconds) {
        faults.pauseOnce(seconds * SimServer.SECOND);
        world.after(SimServer.SECOND, Thread.currentThread()::interrupt);
        assertThrows(InterruptedException.class, call::run);
    }

    void requireContent(int value) throws InterruptedException {
        threads.sleep(10 * SimServer.SECOND);
        assertEquals(value, made.content[0]);
    }

    private long locked() {
        return server.state.snapshots().counts().ranges();
    }

    void requireLocked(int ranges) throws InterruptedException {
        threads.sleep(10 * SimServer.SECOND);
        assertEquals(ranges, locked(), "locked ranges at the server");
    }

    boolean lock(OpenFile open, LockRange range, boolean isExclusive)
            throws IOException, InterruptedException {
        return service.lock(open, range, isExclusive, Duration.ZERO, "lock");
    }

    void make() throws IOException, InterruptedException {
        service.makeFile(
                new RemotePlace(root, "made"), AttributeChanges.ofMode(0600), true, "make");
    }
}
