package io.github.rpcrdma4j.nfs.server.acl;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.Acl3Call.Procedure;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.FileSystemErrors;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.server.v3.StatusTranslation;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Status;
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
 * The NFSACL version 3 program, on the connections of NFS (RFC 8267-5.2-1). Its file handles are
 * those of NFS, and the rules of the exports apply.
 *
 * @param accepted the flavors that at least one export accepts
 * @param failures logs internal errors
 */
public record Acl3Program(
        Exports exports, Set<SecurityFlavor> accepted, Callers callers, FailureLog failures)
        implements RpcProgram {
    static final ProcedureDescriptor CHANGES = ProcedureDescriptor.ORDINARY.waitingInSystemCalls();

    static final ProcedureDescriptor READS = CHANGES.withRepeatable(true);

    /** The results of a procedure, with the attributes of its file. */
    private interface Step {
        Nfs3Reply<Optional<FileAttributes>, ?> run(CallTarget file) throws Refusal, StoreException;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(NfsAcl.PROGRAM, Acl3Call.VERSION);
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
            case GETACL -> READS;
            case SETACL -> CHANGES;
        };
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(NfsAcl.VERSION_3);
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
            var call = Acl3Call.decode(procedure.get(), request.arguments());
            var client = callers.of(request);
            Acl3Call.encodeReply(results, reply(call, client));
        }
        return AcceptStatus.SUCCESS;
    }

    private Nfs3Reply<Optional<FileAttributes>, ?> reply(Acl3Call<?> call, Client client)
            throws InterruptedException {
        Step step =
                switch (call) {
                    case Acl3Call.GetAcl(_, var mask) ->
                            file -> {
                                var found = ListProcedures.get(file, mask);
                                return new Nfs3Reply.Ok<>(
                                        Optional.of(StatusTranslation.attributes(found.file())),
                                        found.lists());
                            };
                    case Acl3Call.SetAcl(_, var lists) ->
                            file ->
                                    new Nfs3Reply.Ok<>(
                                            ListProcedures.set(file, lists)
                                                    .map(StatusTranslation::attributes),
                                            Nothing.NOTHING);
                };
        try (var file = exports.open(call.file(), client, false)) {
            return step.run(file);
        } catch (Refusal refusal) {
            return failed(StatusTranslation.status(refusal.failure()));
        } catch (StoreException failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the call was interrupted");
            }
            FileSystemErrors.tell(failures, call.procedure(), failure);
            return failed(StatusTranslation.status(failure.failure()));
        } catch (BudgetExhaustedException none) {
            failures.warn("a call found no memory", none.getMessage());
            return failed(Status.JUKEBOX);
        } catch (RuntimeException error) {
            failures.report("an internal error in " + call.procedure(), error);
            return failed(Status.SERVERFAULT);
        }
    }

    private static Nfs3Reply<Optional<FileAttributes>, ?> failed(Status status) {
        return new Nfs3Reply.Failed<>(status, Optional.empty());
    }
}
