package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** An NFS server of version 3 whose successful replies say something else to the client. */
public record BentReplies(RpcProgram program, Bend bend) implements ForwardingProgram {
    /** Changes the results of a call. */
    public interface Bend {
        /**
         * Changes them.
         *
         * @param start where they start in the stream
         */
        void bend(Procedure procedure, XdrWriter results, long start);
    }

    /** Returns the program with other replies if it is NFS, else the program itself. */
    public static RpcProgram of(RpcProgram program, Bend bend) {
        return program.id().number() == Nfs3.PROGRAM && program.id().serves(Nfs3.VERSION)
                ? new BentReplies(program, bend)
                : program;
    }

    /**
     * Puts the results of a failure in the place of others, in which no data are. No attributes are
     * in them.
     */
    public static void refuse(Procedure procedure, XdrWriter results, long start, Status status) {
        results.shorten(start);
        results.uint32(status.number());
        for (int i = 0; i < attributes(procedure); i++) {
            results.bool(false);
        }
    }

    /** Returns how many optional attributes the results of a failure have (RFC 1813, 3.3). */
    private static int attributes(Procedure procedure) {
        return switch (procedure) {
            case NULL, GETATTR -> 0;
            case LOOKUP, ACCESS, READLINK, READ, READDIR, READDIRPLUS, FSSTAT, FSINFO, PATHCONF ->
                    1;
            case SETATTR, WRITE, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, COMMIT -> 2;
            case LINK -> 3;
            case RENAME -> 4;
        };
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        long start = results.reducedLength();
        var status = program.call(request, results);
        if (status == AcceptStatus.SUCCESS) {
            bend.bend(Procedure.values()[request.procedure()], results, start);
        }
        return status;
    }
}
