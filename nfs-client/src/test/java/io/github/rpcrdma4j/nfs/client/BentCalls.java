package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.concurrent.atomic.AtomicInteger;

/** An NFS server of version 3 that does less than a READ or READDIRPLUS asks for, or refuses it. */
public record BentCalls(RpcProgram program, Kind kind, AtomicInteger reads)
        implements ForwardingProgram {
    /** What the server does. */
    public enum Kind {
        NONE,
        /** It reads half of what is asked for. */
        SHORT_READS,
        /** It refuses every third READ. */
        FAILING_READS,
        /** A page has a few files. */
        SMALL_PAGES,
        /** A page has a few files, and there is no second one. */
        FAILING_PAGES
    }

    private static final int PAGE_BYTES = 1024;

    /** Returns the program with other deeds if it is NFS, else the program itself. */
    public static RpcProgram of(RpcProgram program, Kind kind) {
        return program.id().number() == Nfs3.PROGRAM && program.id().serves(Nfs3.VERSION)
                ? new BentCalls(program, kind, new AtomicInteger())
                : program;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        boolean isRead = request.procedure() == Procedure.READ.ordinal();
        boolean isListing = request.procedure() == Procedure.READDIRPLUS.ordinal();
        return switch (kind) {
            case SHORT_READS -> isRead ? read(request, results) : program.call(request, results);
            case FAILING_READS ->
                    isRead && reads.incrementAndGet() % 3 == 0
                            ? refuse(results)
                            : program.call(request, results);
            case SMALL_PAGES, FAILING_PAGES ->
                    isListing ? list(request, results) : program.call(request, results);
            case NONE -> program.call(request, results);
        };
    }

    private static AcceptStatus refuse(XdrWriter results) {
        results.uint32(Status.IO.number()).bool(false);
        return AcceptStatus.SUCCESS;
    }

    private AcceptStatus read(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        var asked = request.arguments();
        try (var other = new XdrWriter(request.pool())) {
            FileHandle.decode(asked).encode(other);
            other.uint64(asked.uint64());
            other.uint32(Math.max(1, asked.uint32() / 2));
            return program.call(asking(request, other), results);
        }
    }

    private AcceptStatus list(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        var asked = request.arguments();
        try (var other = new XdrWriter(request.pool())) {
            FileHandle.decode(asked).encode(other);
            long cookie = asked.uint64();
            if (cookie != 0 && kind == Kind.FAILING_PAGES) {
                return refuse(results);
            }
            other.uint64(cookie).uint64(asked.uint64()).uint32(PAGE_BYTES).uint32(PAGE_BYTES);
            return program.call(asking(request, other), results);
        }
    }

    private static RpcRequest asking(RpcRequest request, XdrWriter arguments) {
        return new RpcRequest(
                request.version(),
                request.procedure(),
                request.credential(),
                new XdrReader(arguments.reducedStream()),
                request.peer(),
                request.identity(),
                request.pool(),
                request.reverse());
    }
}
