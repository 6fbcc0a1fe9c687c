package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** Calls as they are. */
final class Nfs3Form implements CallForm {
    @Override
    public Optional<Status> refusal(Nfs3Call<?, ?> call) {
        return Optional.empty();
    }

    @Override
    public RpcCall call(Nfs3Call<?, ?> call, List<MemorySegment> targets) {
        var procedure = call.replyFormat().procedure();
        return new RpcCall(
                Nfs3.PROGRAM,
                Nfs3.VERSION,
                procedure.number(),
                call::encode,
                Nfs3Binding.row(procedure).resultsMax(count(call)),
                targets);
    }

    private static int count(Nfs3Call<?, ?> call) {
        return switch (call) {
            case Nfs3Call.ReadDirectory list -> list.count();
            case Nfs3Call.ReadDirectoryPlus list -> list.fullCount();
            default -> 0;
        };
    }

    @Override
    public <A, T> Nfs3Reply<A, T> decode(Nfs3Call<A, T> call, XdrReader results)
            throws XdrException {
        return call.replyFormat().decode(results);
    }

    @Override
    public RpcCall call(Acl3Call<?> call, int entries) {
        return new RpcCall(
                NfsAcl.PROGRAM,
                Acl3Call.VERSION,
                call.procedure().number(),
                call::encode,
                call.resultsMax(entries));
    }

    @Override
    public <T> Nfs3Reply<Optional<FileAttributes>, T> decode(Acl3Call<T> call, XdrReader results)
            throws XdrException {
        return call.decodeReply(results);
    }

    @Override
    public FileHandle mounted(XdrReader results, String failure) throws IOException, XdrException {
        return switch (MountResult.decode(results)) {
            case MountResult.Ok(var handle, _) -> new FileHandle(handle);
            case MountResult.Failed(var status) ->
                    throw new IOException(failure + ": " + status.description());
        };
    }
}
