package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsFiles;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * NFS version 3 for files that are on no disk: one directory with one file, to be read. A program
 * of its own answers the calls, and another one MOUNT, which clients ask for the first handle.
 */
public final class OwnStore implements RpcProgram {
    private static final String EXPORT = "/own";
    private static final FileHandle ROOT = new FileHandle(new byte[] {1});
    private static final FileHandle FILE = new FileHandle(new byte[] {2});
    private static final FileName NAME = FileName.of("digits");
    private static final byte[] CONTENT = "0123456789\n".getBytes(StandardCharsets.US_ASCII);
    private static final int GRANTED = Nfs3.ACCESS_READ | Nfs3.ACCESS_LOOKUP;
    private static final Timestamp NEVER_CHANGED = new Timestamp(0, 0);

    @Override
    public ProgramId id() {
        return new ProgramId(Nfs3.PROGRAM, Nfs3.VERSION);
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(Nfs3Binding.BINDING);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        if (!Procedure.exists(request.procedure())) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        var procedure = Procedure.of(request.procedure());
        if (procedure == Procedure.NULL) {
            request.arguments().finish();
            return AcceptStatus.SUCCESS;
        }
        switch (Nfs3CallDecoder.decode(procedure, request.arguments())) {
            case Nfs3Call.GetAttributes call ->
                    answer(call, results, Nothing.NOTHING, attributes(call.file()));
            case Nfs3Call.Lookup call when call.what().name().equals(NAME) ->
                    answer(call, results, Optional.empty(), found());
            case Nfs3Call.Lookup call ->
                    answer(call, results, new Nfs3Reply.Failed<>(Status.NOENT, Optional.empty()));
            case Nfs3Call.Access call ->
                    answer(call, results, Optional.empty(), call.wanted() & GRANTED);
            case Nfs3Call.Read call -> answer(call, results, Optional.empty(), data(call));
            case Nfs3Call<?, ?> _ -> {
                return AcceptStatus.PROC_UNAVAIL;
            }
        }
        return AcceptStatus.SUCCESS;
    }

    private static <A, T> void answer(
            Nfs3Call<A, T> call, XdrWriter results, A attributes, T value) {
        answer(call, results, new Nfs3Reply.Ok<>(attributes, value));
    }

    private static <A, T> void answer(
            Nfs3Call<A, T> call, XdrWriter results, Nfs3Reply<A, T> reply) {
        call.replyFormat().encode(results, reply);
    }

    private static FileAttributes attributes(FileHandle of) {
        boolean isRoot = of.equals(ROOT);
        return new FileAttributes(
                isRoot ? FileType.DIRECTORY : FileType.REGULAR,
                isRoot ? 0555 : 0444,
                1,
                0,
                0,
                CONTENT.length,
                CONTENT.length,
                0,
                1,
                isRoot ? 1 : 2,
                NEVER_CHANGED,
                NEVER_CHANGED,
                NEVER_CHANGED);
    }

    private static Nfs3Results.Found found() {
        return new Nfs3Results.Found(FILE, Optional.of(attributes(FILE)));
    }

    /** The data must not change until the reply is sent; the last argument would then run. */
    private static Nfs3Results.ReadData data(Nfs3Call.Read call) {
        int from = (int) Math.clamp(call.offset(), 0L, CONTENT.length);
        int count = (int) Math.min(Integer.toUnsignedLong(call.count()), CONTENT.length - from);
        return new Nfs3Results.ReadData(
                MemorySegment.ofArray(CONTENT).asSlice(from, count),
                from + count == CONTENT.length,
                () -> {});
    }

    /** Tells clients the export and its handle. */
    private static final class Mount implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Mount3.PROGRAM, Mount3.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            if (request.procedure() == Mount3.Procedure.MNT.number()) {
                var path = PathName.decode(request.arguments(), Mount3.PATH_MAX);
                var answer =
                        path.equals(PathName.of(EXPORT))
                                ? new Mount3.MountResult.Ok(ROOT.bytes(), List.of(1))
                                : new Mount3.MountResult.Failed(Mount3.MountStatus.NOENT);
                answer.encode(results);
            } else if (request.procedure() == Mount3.Procedure.EXPORT.number()) {
                var own = new Mount3.ExportEntry(PathName.of(EXPORT), List.of());
                Mount3.ExportEntry.encode(results, List.of(own));
            } else if (request.procedure() != Mount3.Procedure.NULL.number()) {
                return AcceptStatus.PROC_UNAVAIL;
            }
            return AcceptStatus.SUCCESS;
        }
    }

    /** Serves the file, and prints it. */
    public static void main(String[] args) throws Exception {
        try (var server =
                        RpcRdmaServer.builder()
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .program(new OwnStore())
                                .program(new Mount())
                                .start();
                var files =
                        NfsFiles.connect(
                                "rdma://127.0.0.1:" + server.address().getPort() + EXPORT);
                var in = files.newInputStream(EXPORT + "/digits")) {
            in.transferTo(System.out);
        }
    }
}
