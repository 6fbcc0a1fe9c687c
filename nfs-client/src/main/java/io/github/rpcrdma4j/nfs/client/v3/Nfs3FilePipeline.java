package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The pipeline of a {@link Nfs3Service}. Used by one thread at a time. */
final class Nfs3FilePipeline implements FilePipeline {
    private final Nfs3Pipeline pipeline;

    /**
     * @param pipeline owned by this one, which closes it
     */
    Nfs3FilePipeline(Nfs3Pipeline pipeline) {
        this.pipeline = pipeline;
    }

    @Override
    public void read(
            OpenFile file,
            long offset,
            MemorySegment target,
            String what,
            OnSuccess<ReadData> onSuccess)
            throws RpcException {
        pipeline.submit(
                new Nfs3Call.Read(
                        Nfs3Values.handle(file.handle()), offset, (int) target.byteSize()),
                what,
                List.of(target),
                (attributes, read) ->
                        onSuccess.done(
                                new ReadData(attributes.map(Nfs3Values::attributes), read.data())));
    }

    @Override
    public void write(
            OpenFile file,
            long offset,
            Stability stability,
            MemorySegment data,
            String what,
            OnSuccess<Written> onSuccess)
            throws RpcException {
        pipeline.submit(
                new Nfs3Call.Write(Nfs3Values.handle(file.handle()), offset, stability, data),
                what,
                List.of(),
                (_, written) -> onSuccess.done(Nfs3Values.written(written)));
    }

    @Override
    public void change(FileHandle file, AttributeChanges changes, String what) throws RpcException {
        pipeline.submit(Nfs3Service.change(file, changes), what, List.of(), (_, _) -> {});
    }

    @Override
    public void rename(RemotePlace from, RemotePlace to, String what) throws RpcException {
        pipeline.submit(Nfs3Service.rename(from, to), what, List.of(), (_, _) -> {});
    }

    @Override
    public boolean poll() throws IOException, InterruptedException {
        return pipeline.poll();
    }

    @Override
    public void close() {
        pipeline.close();
    }
}
