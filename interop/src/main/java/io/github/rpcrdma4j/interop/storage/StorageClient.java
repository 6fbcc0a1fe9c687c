package io.github.rpcrdma4j.interop.storage;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** A client that makes calls as root on one export. For use by one thread. */
public final class StorageClient implements AutoCloseable {
    /** The timeout of a call. A server under emulation is slow, above all for its first calls. */
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    private static final int PIECE = 256 << 10;

    private final Nfs3Client client;
    private final FileHandle root;

    /**
     * @param address the address of both NFS and MOUNT over TCP
     * @throws IOException if the export cannot be mounted
     */
    public StorageClient(InetSocketAddress address, String export)
            throws IOException, InterruptedException {
        var credential = new Credential.Sys(0, "storage", 0, 0, List.of());
        Connector connector = () -> TcpRpcClient.connect(address, credential, TIMEOUT);
        client =
                new Nfs3Client(
                        connector,
                        connector,
                        ClientOptions.DEFAULT
                                .withVersion(NfsVersion.VERSION_3)
                                .withTimeout(TIMEOUT),
                        NfsVersion.VERSION_3);
        try {
            root = client.mount(export);
        } catch (IOException | InterruptedException | RuntimeException failure) {
            client.close();
            throw failure;
        }
    }

    /** Returns the file handle of the export's root. */
    public FileHandle root() {
        return root;
    }

    /**
     * Makes a call without bulk results.
     *
     * @throws NfsException if the server refuses
     */
    public <A, T> T call(Nfs3Call<A, T> call) throws IOException, InterruptedException {
        return client.call(call);
    }

    /** Looks up a name in a directory. */
    public FileHandle lookup(FileHandle directory, String name)
            throws IOException, InterruptedException {
        return call(new Nfs3Call.Lookup(new DirOpArgs(directory, name))).handle();
    }

    /** Makes a regular file in the root, or reuses an existing one. */
    public FileHandle create(String name) throws IOException, InterruptedException {
        var how = new CreateMode.Unchecked(SetAttributes.ofMode(0644));
        call(new Nfs3Call.Create(new DirOpArgs(root, name), how));
        return lookup(root, name);
    }

    /**
     * Writes a content from offset 0, with one WRITE for every 256 KiB.
     *
     * @return the write verifiers of the replies
     * @throws RpcException if a reply has an impossible count, such as 0
     */
    public Set<Long> write(FileHandle file, byte[] content, Stability stability)
            throws IOException, InterruptedException {
        var verifiers = new HashSet<Long>();
        var data = MemorySegment.ofArray(content);
        for (int at = 0; at < content.length; ) {
            int length = Math.min(PIECE, content.length - at);
            var piece = data.asSlice(at, length);
            var written = call(new Nfs3Call.Write(file, at, stability, piece));
            if (written.count() <= 0 || written.count() > length) {
                throw new RpcException.BadReply(
                        "the reply to a WRITE of %d bytes has the count %d"
                                .formatted(length, Integer.toUnsignedLong(written.count())));
            }
            verifiers.add(written.verifier());
            at += written.count();
        }
        return verifiers;
    }

    /**
     * Commits a file.
     *
     * @return the write verifier; empty if the server refuses
     */
    public OptionalLong commit(FileHandle file) throws IOException, InterruptedException {
        try {
            return OptionalLong.of(call(new Nfs3Call.Commit(file, 0, 0)));
        } catch (NfsException refused) {
            return OptionalLong.empty();
        }
    }

    /** Returns whether these replies let a client assume that its data is on storage. */
    public static boolean isCommitted(Set<Long> written, OptionalLong committed) {
        return committed.isPresent() && written.equals(Set.of(committed.getAsLong()));
    }

    /**
     * Reads {@code bytes} bytes from the start of a file.
     *
     * @throws RpcException if the file is shorter
     */
    public byte[] read(FileHandle file, int bytes) throws IOException, InterruptedException {
        var content = new byte[bytes];
        try (var arena = Arena.ofConfined()) {
            var target = arena.allocate(PIECE);
            for (int at = 0; at < bytes; ) {
                int got = read(file, content, at, target);
                if (got == 0) {
                    throw new RpcException.BadReply("the file ends at " + at);
                }
                at += got;
            }
        }
        return content;
    }

    private int read(FileHandle file, byte[] content, int at, MemorySegment target)
            throws IOException, InterruptedException {
        int length = Math.min(PIECE, content.length - at);
        return client.call(
                new Nfs3Call.Read(file, at, length),
                List.of(target.asSlice(0, length)),
                (_, value) -> {
                    int count = (int) value.data().byteSize();
                    MemorySegment.copy(value.data(), ValueLayout.JAVA_BYTE, 0, content, at, count);
                    return count;
                });
    }

    @Override
    public void close() {
        client.close();
    }
}
