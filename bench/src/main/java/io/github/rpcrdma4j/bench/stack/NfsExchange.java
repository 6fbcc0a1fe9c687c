package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Pipeline;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Service;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Our NFS server with our client, over RDMA or over TCP. Only the transport differs.
 *
 * <p>Tests: {@code ExchangeTest}.
 */
record NfsExchange(boolean overRdma) implements Exchange {
    static final String EXPORT = "/bench";

    /** The export of the file that the calls read and write in pieces. */
    static final String DATA_EXPORT = "/data";

    /** The prefix of the directories of empty files, for lookups. */
    static final String DIRECTORY = "directory";

    static final String DATA = "data";
    private static final String FILE = "file";
    static final long DATA_BYTES = 64L << 20;
    private static final byte[] KEY = new byte[32];

    /** The same limits of concurrent calls as over RDMA. */
    private static final TcpRpcOptions TCP_OPTIONS =
            new TcpRpcOptions(
                    4096,
                    1024,
                    1024,
                    1024,
                    64,
                    64,
                    1L << 30,
                    TcpRpcOptions.DEFAULT.recordMax(),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(10));

    /** Returns the name of a file in the directory. */
    static String name(int number) {
        return "a-file-of-no-bytes-" + number;
    }

    @Override
    public Service serve(Setting setting, Path directory) throws Exception {
        TestFile.create(directory.resolve(FILE), setting.fileBytes());
        var many = directory.resolve(DIRECTORY + setting.directoryEntries());
        Files.createDirectories(many);
        for (int i = 0; i < setting.directoryEntries(); i++) {
            Files.write(many.resolve(name(i)), new byte[0]);
        }
        var exports =
                List.of(
                        new Export(EXPORT, directory, false),
                        new Export(DATA_EXPORT, dataDirectory(), false));
        var nfs = new NfsServer(exports, KEY);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (overRdma) {
            var server =
                    RpcRdmaServer.builder()
                            .provider(RpcRdmaExchange.provider(setting))
                            .address(address)
                            .programs(nfs.programs())
                            .start();
            return new Served(nfs, server::close, server.address().getPort());
        }
        var server = TcpRpcServer.listen(address, nfs.programs(), TCP_OPTIONS);
        return new Served(nfs, server::close, server.address().getPort());
    }

    /**
     * Makes a directory with the file that the calls read and write. It is not in /dev/shm: a file
     * system in memory has small pages, and reads take three times as long there as from the page
     * cache of a disk.
     */
    private static Path dataDirectory() throws IOException {
        var directory = Files.createTempDirectory("rpcrdma4j-bench-");
        directory.toFile().deleteOnExit();
        TestFile.create(directory.resolve(DATA), DATA_BYTES).toFile().deleteOnExit();
        return directory;
    }

    private record Served(NfsServer nfs, Runnable transport, int port) implements Service {
        @Override
        public void close() {
            transport.run();
            nfs.close();
        }
    }

    @Override
    public Session connect(int port, Setting setting, Path directory) throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var caller = ProcessCredential.read();
        Connector connector =
                overRdma
                        ? () ->
                                RpcRdmaClient.builder()
                                        .provider(RpcRdmaExchange.provider(setting))
                                        .credential(caller)
                                        .binding(Nfs3Binding.BINDING)
                                        .connect(address)
                        : () ->
                                TcpRpcClient.connect(
                                        address,
                                        caller,
                                        ClientOptions.DEFAULT
                                                .withVersion(NfsVersion.VERSION_3)
                                                .timeout());
        var client =
                new Nfs3Client(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                        NfsVersion.VERSION_3);
        var mount = NfsMount.of(new Nfs3Service(client), EXPORT);
        return new NfsSession(mount, client, data(client), directory.resolve("copy"));
    }

    private static FileHandle data(Nfs3Client client) throws IOException, InterruptedException {
        var place = new Nfs3Call.DirOpArgs(client.mount(PathName.of(DATA_EXPORT)), DATA);
        return client.call(new Nfs3Call.Lookup(place)).handle();
    }

    /**
     * A mounted export.
     *
     * @param client makes the calls; the mount owns it
     * @param data the file that the calls read and write
     * @param copy the target of a copied file
     */
    record NfsSession(NfsMount mount, Nfs3Client client, FileHandle data, Path copy)
            implements Session, DirectoryCalls {
        @Override
        public Call call(Work work, MemorySegment memory) {
            return switch (work.kind()) {
                case NULL -> client::ping;
                case READ -> reads(memory);
                case WRITE -> writes(memory);
                case COPY -> this::copyFile;
                case OPEN -> throw new IllegalArgumentException("version 3 has no OPEN");
            };
        }

        /**
         * Runs the calls of all slots. One thread waits for a single call, or uses a pipeline for
         * many calls.
         */
        @Override
        public void run(Work work, Meter meter, SlotMemory memory) throws Exception {
            if (work.kind() == Work.Kind.COPY || meter.slots() == 1) {
                Session.super.run(work, meter, memory);
                return;
            }
            try (var pipeline = client.pipeline()) {
                var loops = new ArrayList<CallLoop>();
                for (int i = 0; i < meter.slots(); i++) {
                    var own = memory.of(i, work.length());
                    loops.add(new CallLoop(pipeline, work.kind(), data, own, meter.slot(i)));
                }
                meter.start();
                for (var loop : loops) {
                    loop.slot.begin();
                    loop.startCall();
                }
                while (pipeline.poll()) {
                    // The pipeline invokes the callbacks of the loops.
                }
                meter.stop();
            }
        }

        private Call reads(MemorySegment memory) {
            int length = (int) memory.byteSize();
            var targets = List.of(memory);
            var offsets = new CyclicOffsets(length, DATA_BYTES);
            return () ->
                    client.call(
                            new Nfs3Call.Read(data, offsets.next(), length),
                            targets,
                            (_, read) -> {
                                requireWhole(read, length);
                                return null;
                            });
        }

        private Call writes(MemorySegment memory) {
            var offsets = new CyclicOffsets((int) memory.byteSize(), DATA_BYTES);
            return () ->
                    client.call(
                            new Nfs3Call.Write(data, offsets.next(), Stability.UNSTABLE, memory));
        }

        private void copyFile() throws IOException, InterruptedException {
            var file = mount.resolve(EXPORT + "/" + FILE);
            new Copier(
                            mount,
                            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                            CopyListener.NONE)
                    .get(file, FILE, copy);
        }

        @Override
        public Call lookups(int entries) throws IOException, InterruptedException {
            var directory = mount.resolve(EXPORT + "/" + DIRECTORY + entries);
            var number = new int[1];
            return () -> {
                var name = name(number[0]++ % entries);
                var found = mount.lookup(new RemotePlace(directory.handle(), name));
                mount.service().attributes(found.handle(), "cannot look up");
            };
        }

        @Override
        public Call listing(int entries) throws IOException, InterruptedException {
            var directory = mount.resolve(EXPORT + "/" + DIRECTORY + entries);
            return () -> {
                int found = mount.list(directory.handle(), "the directory").size();
                if (found != entries) {
                    throw new IOException("there are " + found + " entries, not " + entries);
                }
            };
        }

        @Override
        public void close() {
            mount.close();
        }
    }

    private static void requireWhole(Nfs3Results.ReadData read, int length) throws IOException {
        if (read.data().byteSize() != length) {
            throw new IOException("a READ returned less than was asked for");
        }
    }

    /** Makes one call after another; each starts when the one before has ended. */
    private static final class CallLoop {
        private final Nfs3Pipeline pipeline;
        private final Work.Kind kind;
        private final FileHandle data;
        private final MemorySegment memory;
        private final List<MemorySegment> targets;
        private final Meter.Slot slot;
        private final int length;
        private final CyclicOffsets offsets;

        CallLoop(
                Nfs3Pipeline pipeline,
                Work.Kind kind,
                FileHandle data,
                MemorySegment memory,
                Meter.Slot slot) {
            this.pipeline = pipeline;
            this.kind = kind;
            this.data = data;
            this.memory = memory;
            this.targets = List.of(memory);
            this.slot = slot;
            this.length = (int) memory.byteSize();
            this.offsets = new CyclicOffsets(length, DATA_BYTES);
        }

        void startCall() throws RpcException {
            switch (kind) {
                case NULL -> pipeline.ping(this::next);
                case READ ->
                        pipeline.submit(
                                new Nfs3Call.Read(data, offsets.next(), length),
                                targets,
                                (_, read) -> {
                                    requireWhole(read, length);
                                    next();
                                });
                case WRITE ->
                        pipeline.submit(
                                new Nfs3Call.Write(
                                        data, offsets.next(), Stability.UNSTABLE, memory),
                                List.of(),
                                (_, _) -> next());
                case COPY, OPEN -> throw new IllegalStateException(kind + " has no pipeline");
            }
        }

        private void next() throws RpcException {
            if (slot.next()) {
                startCall();
            }
        }
    }
}
