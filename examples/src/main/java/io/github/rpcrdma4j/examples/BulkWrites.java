package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.Set;

/**
 * Writes memory of the program to a file with eight calls outstanding, and reads it back. The
 * server fetches the bytes from that memory, and places them in it: nothing is copied here.
 */
public final class BulkWrites {
    private static final int IN_FLIGHT = 8;
    private static final long SIZE = 32 << 20;

    private final NfsMount mount;
    private final OpenFile file;

    private BulkWrites(NfsMount mount, OpenFile file) {
        this.mount = mount;
        this.file = file;
    }

    /** The calls that write some memory: the end of each starts the next. */
    private final class Writing {
        private final FilePipeline pipeline;
        private final MemorySegment data;
        private final int step;
        private final Set<Long> verifiers = new HashSet<>();
        private long next;

        Writing(FilePipeline pipeline, MemorySegment data, int step) {
            this.pipeline = pipeline;
            this.data = data;
            this.step = step;
        }

        void submit() throws IOException {
            if (next == data.byteSize()) {
                return;
            }
            var part = data.asSlice(next, Math.min(step, data.byteSize() - next));
            long at = next;
            next += part.byteSize();
            pipeline.write(
                    file,
                    at,
                    Stability.UNSTABLE,
                    part,
                    "cannot write",
                    written -> {
                        if (written.count() < part.byteSize()) {
                            throw new IOException("the server took a part only");
                        }
                        verifiers.add(written.verifier());
                        submit();
                    });
        }
    }

    /** Writes all bytes; when it returns, they are on stable storage. */
    private void write(MemorySegment data) throws IOException, InterruptedException {
        try (var pipeline = mount.service().pipeline()) {
            var writing = new Writing(pipeline, data, mount.limits().writeMax());
            for (int i = 0; i < IN_FLIGHT; i++) {
                writing.submit();
            }
            boolean hasCalls = true;
            while (hasCalls) {
                hasCalls = pipeline.poll();
            }
            var verifiers = writing.verifiers;
            verifiers.add(mount.service().commit(file, 0, 0, "cannot write"));
            if (verifiers.size() > 1) {
                throw new IOException("the server has restarted in between: write all again");
            }
        }
    }

    /** Whether each read has placed its bytes in the target. */
    private boolean inPlace = true;

    /** Reads until the memory is full; returns whether the server placed all of it. */
    private boolean read(MemorySegment target) throws IOException, InterruptedException {
        int step = mount.limits().readMax();
        try (var pipeline = mount.service().pipeline()) {
            for (long at = 0; at < target.byteSize(); at += step) {
                var part = target.asSlice(at, Math.min(step, target.byteSize() - at));
                pipeline.read(
                        file, at, part, "cannot read", read -> inPlace &= read.data().equals(part));
            }
            boolean hasCalls = true;
            while (hasCalls) {
                hasCalls = pipeline.poll();
            }
        }
        return inPlace;
    }

    private static OpenFile open(NfsMount mount, PathName path)
            throws IOException, InterruptedException {
        var made = mount.makeFile(path, 0644).handle();
        return mount.service().open(made, OpenFile.Mode.BOTH, "cannot open");
    }

    /** Writes and reads 32 MiB at a server of this process. */
    public static void main(String[] args) throws Exception {
        var directory = Files.createTempDirectory("served");
        try (var server = new EmbeddedServer(directory)) {
            var url = NfsUrl.parse(server.url());
            var connector =
                    RpcRdmaClient.builder()
                            .credential(ProcessCredential.read())
                            .bindings(ClientOptions.DEFAULT.bindings())
                            .connector(url.address());
            var service = NfsClient.connect(connector, connector, ClientOptions.DEFAULT);
            var path = PathName.of("/data/bulk");
            try (var mount = NfsMount.of(service, url.path());
                    var file = open(mount, path);
                    var arena = Arena.ofShared()) {
                var bulk = new BulkWrites(mount, file);
                var data = arena.allocate(SIZE).fill((byte) 7);
                bulk.write(data);
                var back = arena.allocate(SIZE);
                boolean inPlace = bulk.read(back);
                System.out.println(
                        "equal: " + (data.mismatch(back) < 0) + ", in place: " + inPlace);
                mount.remove(path);
            }
        } finally {
            Files.delete(directory);
        }
    }
}
