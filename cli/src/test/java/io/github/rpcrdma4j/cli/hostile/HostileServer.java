package io.github.rpcrdma4j.cli.hostile;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** A server on loopback that tells one lie. */
final class HostileServer implements AutoCloseable {
    private final RpcRdmaServer server;

    /** Cuts the connections; null if none is cut. */
    private final CuttingRelay relay;

    HostileServer(Deviations deviations) throws IOException {
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .program(new Files(deviations))
                        .program(new Mounts(deviations))
                        .start();
        relay =
                deviations.cut().isPresent()
                        ? new CuttingRelay(
                                server.address(), deviations.cut().getAsInt(), deviations.stalls())
                        : null;
    }

    /** Returns the URL of the server, without a path. */
    String url() {
        int port = relay == null ? server.address().getPort() : relay.port();
        return "rdma://127.0.0.1:" + port;
    }

    private record Files(Deviations deviations) implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Nfs3.PROGRAM, Nfs3.VERSION);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public List<UpperLayerBinding> bindings() {
            return List.of(Nfs3Binding.BINDING);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (request.procedure() != Procedure.NULL.number()) {
                var files = new HonestFiles(deviations.attributes());
                var procedure = Procedure.of(request.procedure());
                var call = Nfs3CallDecoder.decode(procedure, request.arguments());
                if (!deviations.nfs().answer(files, call, results)) {
                    HonestFiles.encode(call, files.reply(call), results);
                }
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private record Mounts(Deviations deviations) implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Mount3.PROGRAM, Mount3.VERSION);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            var procedure = Mount3.Procedure.values()[request.procedure()];
            if (!deviations.mount().answer(procedure, results)) {
                switch (procedure) {
                    case MNT ->
                            new MountResult.Ok(HonestFiles.ROOT.bytes(), HonestFiles.flavors())
                                    .encode(results);
                    case EXPORT ->
                            ExportEntry.encode(
                                    results,
                                    List.of(new ExportEntry(PathName.of("/data"), List.of())));
                    case NULL, DUMP, UMNT, UMNTALL -> {}
                }
            }
            return AcceptStatus.SUCCESS;
        }
    }

    @Override
    public void close() throws IOException {
        if (relay != null) {
            relay.close();
        }
        server.close();
    }
}
