package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;

/** An NFS server of version 4 that may say something else about extended attributes. */
public record BentXattrs(RpcProgram program, Bend bend) implements ForwardingProgram {
    /** Hears of operations on extended attributes, and may change their results. */
    public interface Bend {
        /**
         * Returns the result that the client gets.
         *
         * @param result of the server
         */
        Result of(XattrArguments call, Result result);
    }

    /** Returns the program with other replies if it is NFS, else the program itself. */
    public static RpcProgram of(RpcProgram program, Bend bend) {
        return program.id().number() == Nfs4Binding.PROGRAM
                        && program.id().serves(Nfs4Binding.VERSION)
                ? new BentXattrs(program, bend)
                : program;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        if (request.version() != Nfs4Binding.VERSION
                || request.procedure() != Nfs4Binding.COMPOUND) {
            return program.call(request, results);
        }
        var operations = CompoundArguments.decode(request.arguments().peek()).operations();
        if (operations.isEmpty() || !(operations.getLast() instanceof XattrArguments last)) {
            return program.call(request, results);
        }
        long start = results.reducedLength();
        var status = program.call(request, results);
        var sent = CompoundResult.decode(new XdrReader(results.reducedStream().asSlice(start)));
        var all = new ArrayList<>(sent.results());
        if (all.size() < operations.size()) {
            return status;
        }
        var told = bend.of(last, all.removeLast());
        all.add(told);
        try (var other = new XdrWriter(request.pool())) {
            new CompoundResult(told.status(), sent.tag(), all).encode(other);
            results.shorten(start).fixedOpaque(other.reducedStream());
        }
        return status;
    }
}
