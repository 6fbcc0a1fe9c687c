package io.github.rpcrdma4j.dissect.fuzz;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
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
 *   procedure | flags: 1 of MOUNT, 2 starts with the handle of the directory, 4 of NFS version 2
 *   and MOUNT version 1 | arguments
 * </pre>
 */
final class ServedDirectory {
    static final ServedDirectory IN_MEMORY = new ServedDirectory();

    private static final String EXPORT = "/export";
    private static final int OF_MOUNT = 1;
    private static final int WITH_HANDLE = 2;
    private static final int OF_VERSION_2 = 4;
    private static final int HEAD_BYTES = 2;
    private static final int ENTRIES = 40;

    private final SegmentPool pool = new SegmentPool(1 << 21);
    private final InetSocketAddress peer =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1023);
    private final Served version3;
    private final Served version2;

    /**
     * A version of NFS, and what goes with it.
     *
     * @param handle that of the directory, as it is in arguments
     */
    private record Served(RpcProgram nfs, RpcProgram mount, byte[] handle) {}

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
            var server = new NfsServer(List.of(export), new byte[16]);
            version3 = served(server.programs());
            version2 = served(server.version2Programs());
        } catch (IOException | XdrException broken) {
            throw new AssertionError(broken);
        }
    }

    private Served served(List<RpcProgram> programs) throws XdrException {
        var mount = programs.getLast();
        try (var path = new XdrWriter(pool);
                var out = new XdrWriter(pool)) {
            path.string(EXPORT);
            byte[] arguments = path.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            call(mount, Mount3.Procedure.MNT.ordinal(), arguments, out);
            return new Served(
                    programs.getFirst(),
                    mount,
                    handle(mount.id().highestVersion(), new XdrReader(out.reducedStream())));
        }
    }

    private byte[] handle(int version, XdrReader results) throws XdrException {
        if (version == Mount1.VERSION) {
            return ((Mount1.MountResult.Ok) Mount1.MountResult.decode(results)).handle();
        }
        var mounted = (MountResult.Ok) MountResult.decode(results);
        try (var encoded = new XdrWriter(pool)) {
            encoded.opaque(mounted.handle());
            return encoded.reducedStream().toArray(ValueLayout.JAVA_BYTE);
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
        var served = (bytes[1] & OF_VERSION_2) != 0 ? version2 : version3;
        boolean withHandle = (bytes[1] & WITH_HANDLE) != 0;
        int first = withHandle ? served.handle.length : 0;
        byte[] arguments = new byte[first + bytes.length - HEAD_BYTES];
        System.arraycopy(served.handle, 0, arguments, 0, first);
        System.arraycopy(bytes, HEAD_BYTES, arguments, first, bytes.length - HEAD_BYTES);
        long leased = pool.leased();
        try (var out = new XdrWriter(pool)) {
            call((bytes[1] & OF_MOUNT) != 0 ? served.mount : served.nfs, bytes[0], arguments, out);
        }
        if (pool.leased() != leased) {
            throw new AssertionError("memory was kept");
        }
    }

    private void call(RpcProgram program, int procedure, byte[] arguments, XdrWriter out)
            throws XdrException {
        call(program, procedure, new XdrReader(MemorySegment.ofArray(arguments)), peer, pool, out);
    }

    /** Lets a program carry out a call of its highest version, without a user. */
    static void call(
            RpcProgram program,
            int procedure,
            XdrReader arguments,
            InetSocketAddress peer,
            SegmentPool pool,
            XdrWriter out)
            throws XdrException {
        var request =
                new RpcRequest(
                        program.id().highestVersion(),
                        procedure,
                        new Credential.None(),
                        arguments,
                        peer,
                        PeerIdentity.ofAddress(peer),
                        pool,
                        Optional.empty());
        try {
            program.call(request, out);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
