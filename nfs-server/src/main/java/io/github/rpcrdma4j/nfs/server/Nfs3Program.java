package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Set;

/**
 * NFS version 3: who may call, and which user a caller is.
 *
 * @param accepted the flavors that some export takes
 */
record Nfs3Program(
        Exports exports,
        Nfs3Calls.Procedures procedures,
        Set<SecurityFlavor> accepted,
        KerberosUsers identities,
        NfsStatistics statistics)
        implements RpcProgram {
    @Override
    public int program() {
        return Nfs3.PROGRAM;
    }

    @Override
    public int lowestVersion() {
        return Nfs3.VERSION;
    }

    @Override
    public int highestVersion() {
        return Nfs3.VERSION;
    }

    @Override
    public Set<SecurityFlavor> flavors() {
        return accepted;
    }

    /** NULL, and what a mounting client asks for, comes with any flavor (RFC 2623, Section 2.3). */
    @Override
    public boolean admits(int version, int procedure, SecurityFlavor flavor) {
        return accepted.contains(flavor)
                || !Procedure.exists(procedure)
                || switch (Procedure.of(procedure)) {
                    case NULL, GETATTR, FSINFO -> true;
                    default -> false;
                };
    }

    @Override
    public boolean waitsInSystemCalls() {
        return true;
    }

    /**
     * What Linux has in its caches takes a few system calls, and so does a WRITE that need not be
     * on storage.
     */
    @Override
    public boolean isUsuallyQuick(int version, int procedure) {
        return Procedure.exists(procedure)
                && switch (Procedure.of(procedure)) {
                    case NULL, GETATTR, LOOKUP, ACCESS, READLINK, READ, WRITE -> true;
                    case FSSTAT, FSINFO, PATHCONF -> true;
                    case SETATTR, CREATE, MKDIR, SYMLINK, MKNOD -> false;
                    case REMOVE, RMDIR, RENAME, LINK -> false;
                    case READDIR, READDIRPLUS, COMMIT -> false;
                };
    }

    @Override
    public boolean isRepeatable(int version, int procedure) {
        return !Procedure.exists(procedure)
                || Nfs3Binding.row(Procedure.of(procedure)).repeatable();
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        if (!Procedure.exists(request.procedure())) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        var procedure = Procedure.of(request.procedure());
        if (procedure == Procedure.NULL) {
            request.arguments().finish();
            statistics.countCall(procedure);
        } else {
            var call = Nfs3CallDecoder.decode(procedure, request.arguments());
            statistics.countCall(procedure);
            var caller = request.credential();
            var client = new Exports.Client(request.peer(), caller.flavor(), user(caller));
            new Nfs3Calls(exports, client, procedures).answer(call, request.pool(), results);
        }
        return AcceptStatus.SUCCESS;
    }

    private Credential user(Credential caller) {
        return caller instanceof Credential.Principal principal ? identities.of(principal) : caller;
    }
}
