package io.github.rpcrdma4j.nfs.server.acl;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.nfs.acl.Acl2Call;
import io.github.rpcrdma4j.nfs.acl.Acl2Call.Procedure;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.FileRights;
import io.github.rpcrdma4j.nfs.server.served.FileSystemErrors;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.server.v2.Translation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The NFSACL version 2 program, on the connections of NFS version 2 (RFC 8267-5.2-1). Its file
 * handles are those of that version, and the rules of the exports apply.
 *
 * @param accepted the flavors that at least one export accepts
 * @param failures logs internal errors
 */
public record Acl2Program(
        Exports exports, Set<SecurityFlavor> accepted, Callers callers, FailureLog failures)
        implements RpcProgram {
    @Override
    public ProgramId id() {
        return new ProgramId(NfsAcl.PROGRAM, Acl2Call.VERSION);
    }

    @Override
    public Optional<PeerIdentifier> identifier() {
        return Optional.of(callers.identifier());
    }

    @Override
    public Set<SecurityFlavor> flavors() {
        return accepted;
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        var known = Procedure.of(procedure);
        if (known.isEmpty()) {
            return ProcedureDescriptor.UNAVAILABLE;
        }
        return switch (known.get()) {
            case NULL -> ProcedureDescriptor.NULL;
            case GETACL, GETATTR, ACCESS -> Acl3Program.READS;
            case SETACL -> Acl3Program.CHANGES;
        };
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(NfsAcl.VERSION_2);
    }

    @Override
    public String carriedOutFor(RpcRequest request) {
        return callers.nameOf(request);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        var procedure = Procedure.of(request.procedure());
        if (procedure.isEmpty()) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        if (procedure.get() == Procedure.NULL) {
            request.arguments().finish();
        } else {
            var call = Acl2Call.decode(procedure.get(), request.arguments());
            var client = callers.of(request);
            execute(call, client, results);
        }
        return AcceptStatus.SUCCESS;
    }

    private <T> void execute(Acl2Call<T> call, Client client, XdrWriter results)
            throws InterruptedException {
        Nfs2Reply<T> reply;
        try (var file = exports.openShort(call.file().bytes(), client, false)) {
            reply = new Nfs2Reply.Ok<>(run(call, file));
        } catch (Refusal refusal) {
            reply = new Nfs2Reply.Failed<>(status(refusal.failure()));
        } catch (StoreException failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the call was interrupted");
            }
            FileSystemErrors.tell(failures, call.procedure(), failure);
            reply = new Nfs2Reply.Failed<>(status(failure.failure()));
        } catch (BudgetExhaustedException none) {
            failures.warn("a call found no memory", none.getMessage());
            reply = new Nfs2Reply.Failed<>(Status.IO);
        } catch (RuntimeException error) {
            failures.report("an internal error in " + call.procedure(), error);
            reply = new Nfs2Reply.Failed<>(Status.IO);
        }
        call.encodeReply(results, reply);
    }

    private static Status status(Failure failure) {
        return failure == Failure.NOTSUPP ? Status.NOTSUPP : Translation.status(failure);
    }

    /** Each arm of the switch returns the value type of its call. */
    @SuppressWarnings("unchecked")
    private static <T> T run(Acl2Call<T> call, CallTarget file) throws Refusal, StoreException {
        return (T)
                switch (call) {
                    case Acl2Call.GetAcl(_, var mask) -> {
                        var found = ListProcedures.get(file, mask);
                        yield new Acl2Call.FileAndLists(attributes(found.file()), found.lists());
                    }
                    case Acl2Call.SetAcl(_, var lists) -> {
                        var after = ListProcedures.set(file, lists);
                        yield attributes(after.isPresent() ? after.get() : file.node().status());
                    }
                    case Acl2Call.GetAttributes _ -> attributes(file.node().status());
                    case Acl2Call.Access(_, var wanted) -> {
                        var rights = FileRights.of(file, wanted & Nfs3.ACCESS_ALL);
                        yield new Acl2Call.FileAndRights(
                                attributes(rights.file()), rights.granted());
                    }
                };
    }

    private static FileAttributes attributes(FileStatus status) {
        return Translation.attributes(status);
    }
}
