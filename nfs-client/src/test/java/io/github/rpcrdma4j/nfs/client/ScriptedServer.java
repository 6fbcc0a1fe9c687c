package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Service;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.util.List;

/** A server whose replies a test supplies. */
public record ScriptedServer(Replies replies) implements RpcProgram {
    public static final FileHandle ROOT = new FileHandle(new byte[] {1});

    /** The same as the client has it. */
    public static final io.github.rpcrdma4j.nfs.client.service.FileHandle MOUNTED =
            new io.github.rpcrdma4j.nfs.client.service.FileHandle(ROOT.bytes());

    private static final long POOL_BYTES = 1 << 20;

    /** Makes the reply to a call. */
    public interface Replies {
        Nfs3Reply<?, ?> to(Nfs3Call<?, ?> call);
    }

    /** Returns a client of such a server in this process. */
    public static Nfs3Client client(ClientOptions options, Replies replies)
            throws IOException, InterruptedException {
        var dispatcher = new RpcDispatcher(List.of(new ScriptedServer(replies), new Mounts()));
        Connector connector =
                () ->
                        new LoopbackClient(
                                dispatcher,
                                LoopbackClient.Faults.none(),
                                new SegmentPool(POOL_BYTES));
        return new Nfs3Client(connector, connector, options, NfsVersion.VERSION_3);
    }

    /** Returns the files of such a server. */
    public static FileService service(ClientOptions options, Replies replies)
            throws IOException, InterruptedException {
        return new Nfs3Service(client(options, replies));
    }

    /** Mounts the export {@code /data} of such a server. Its root is {@link #ROOT}. */
    public static NfsMount mount(Replies replies) throws IOException, InterruptedException {
        return NfsMount.of(
                service(ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3), replies), "/data");
    }

    /** Returns the attributes of an empty file or directory. */
    public static FileAttributes attributes(FileType type) {
        var time = new Timestamp(0, 0);
        return new FileAttributes(type, 0755, 1, 0, 0, 0, 0, 0, 1, 1, time, time, time);
    }

    @Override
    public ProgramId id() {
        return new ProgramId(Nfs3.PROGRAM, Nfs3.VERSION);
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return ProcedureDescriptor.ORDINARY.withRepeatable(true);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var procedure = Procedure.of(request.procedure());
        if (procedure == Procedure.NULL) {
            request.arguments().finish();
            return AcceptStatus.SUCCESS;
        }
        var call = Nfs3CallDecoder.decode(procedure, request.arguments());
        encode(call, replies.to(call), results);
        return AcceptStatus.SUCCESS;
    }

    @SuppressWarnings("unchecked")
    private static <A, T> void encode(
            Nfs3Call<A, T> call, Nfs3Reply<?, ?> reply, XdrWriter results) {
        call.replyFormat().encode(results, (Nfs3Reply<A, T>) reply);
    }

    /** A MOUNT service with one export. */
    private static final class Mounts implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Mount3.PROGRAM, Mount3.VERSION);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            switch (Mount3.Procedure.values()[request.procedure()]) {
                case MNT -> new MountResult.Ok(ROOT.bytes(), List.of()).encode(results);
                case EXPORT ->
                        ExportEntry.encode(
                                results, List.of(new ExportEntry(PathName.of("/data"), List.of())));
                case NULL, DUMP, UMNT, UMNTALL -> {}
            }
            return AcceptStatus.SUCCESS;
        }
    }
}
