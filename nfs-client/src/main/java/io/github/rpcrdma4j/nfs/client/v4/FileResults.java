package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import java.io.IOException;

/** Values of results about files that several plans have. */
final class FileResults {
    private FileResults() {}

    /** Returns the attributes that GETATTR tells. */
    static FileAttributes status(Results results) throws IOException {
        var encoded = results.next(AttributeResult.GetAttr.class).attributes();
        return Results.decoded(() -> Nfs4Values.attributes(encoded));
    }

    /** Returns the file that GETFH and GETATTR tell. */
    static RemoteFile file(Results results) throws IOException {
        var handle = results.next(HandleResult.GetFh.class).handle();
        return new RemoteFile(Nfs4Values.handle(handle), status(results));
    }

    /** Returns what WRITE tells. */
    static Written written(Results results) throws IOException {
        var written = results.next(DataResult.Write.class);
        return new Written(
                Integer.toUnsignedLong(written.count()), written.committed(), written.verifier());
    }
}
