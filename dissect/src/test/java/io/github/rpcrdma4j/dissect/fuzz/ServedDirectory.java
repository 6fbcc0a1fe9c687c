package io.github.rpcrdma4j.dissect.fuzz;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/**
 * A read-only directory in memory, so that every run has equal contents, and its server. The input
 * of a call:
 *
 * <pre>
 *   procedure | flags: 1 of MOUNT, 2 starts with the handle of the directory | arguments
 * </pre>
 */
final class ServedDirectory {
    static final ServedDirectory IN_MEMORY = new ServedDirectory();

    private static final String EXPORT = "/export";
    private static final int OF_MOUNT = 1;
    private static final int WITH_HANDLE = 2;
    private static final int HEAD_BYTES = 2;
    private static final int ENTRIES = 40;

    private final SegmentPool pool = new SegmentPool(1 << 21);
    private final InetSocketAddress peer =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1023);
    private final RpcProgram nfs;
    private final RpcProgram mount;
    private final byte[] handle;

    private ServedDirectory() {
        try {
            var root = Jimfs.newFileSystem(Configuration.unix()).getPath(EXPORT);
            Files.createDirectory(root);
            Files.write(root.resolve("f"), new byte[5000]);
            Files.createSymbolicLink(root.resolve("l"), root.resolve("f"));
            for (int i = 0; i < ENTRIES; i++) {
                Files.createDirectory(root.resolve("d" + i));
            }
            var export = new Export(EXPORT, root, true);
            var programs = new NfsServer(List.of(export), new byte[16]).programs();
            nfs = programs.getFirst();
            mount = programs.getLast();
            handle = handle();
        } catch (IOException | XdrException broken) {
            throw new AssertionError(broken);
        }
    }

    private byte[] handle() throws XdrException {
        try (var path = new XdrWriter(pool);
                var out = new XdrWriter(pool)) {
            path.string(EXPORT);
            call(
                    mount,
                    Mount3.Procedure.MNT.ordinal(),
                    path.reducedStream().toArray(ValueLayout.JAVA_BYTE),
                    out);
            var mounted = (MountResult.Ok) MountResult.decode(new XdrReader(out.reducedStream()));
            try (var encoded = new XdrWriter(pool)) {
                encoded.opaque(mounted.handle());
                return encoded.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            }
        }
    }

    /**
     * Decodes and serves a call. Exceptions of its program reach the caller.
     *
     * @throws XdrException if the arguments are malformed
     */
    void take(byte[] bytes) throws XdrException {
        if (bytes.length < HEAD_BYTES) {
            return;
        }
        boolean withHandle = (bytes[1] & WITH_HANDLE) != 0;
        int first = withHandle ? handle.length : 0;
        byte[] arguments = new byte[first + bytes.length - HEAD_BYTES];
        System.arraycopy(handle, 0, arguments, 0, first);
        System.arraycopy(bytes, HEAD_BYTES, arguments, first, bytes.length - HEAD_BYTES);
        long leased = pool.leased();
        try (var out = new XdrWriter(pool)) {
            call((bytes[1] & OF_MOUNT) != 0 ? mount : nfs, bytes[0], arguments, out);
        }
        if (pool.leased() != leased) {
            throw new AssertionError("memory was kept");
        }
    }

    private void call(RpcProgram program, int procedure, byte[] arguments, XdrWriter out)
            throws XdrException {
        var request =
                new RpcRequest(
                        program.id().highestVersion(),
                        procedure,
                        new Credential.None(),
                        new XdrReader(MemorySegment.ofArray(arguments)),
                        peer,
                        pool,
                        Optional.empty());
        try {
            program.call(request, out);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
