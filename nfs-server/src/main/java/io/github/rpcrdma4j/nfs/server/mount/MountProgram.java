package io.github.rpcrdma4j.nfs.server.mount;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.mount.MountList.Mounter;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.Exports.Place;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * A version of the MOUNT program: 3 (RFC 1813, Appendix I), which gives handles of NFS version 3,
 * or 1 (RFC 1094, Appendix A), which gives handles of version 2. The versions share all else.
 *
 * <p>Tests: {@code MountTest}.
 */
public final class MountProgram implements RpcProgram {
    private static final ProcedureDescriptor REPEATABLE =
            ProcedureDescriptor.ORDINARY.withRepeatable(true);

    private final int version;
    private final Exports exports;
    private final MountList mounts;
    private final Callers callers;
    private final FailureLog failures;

    /**
     * @param version {@link Mount1#VERSION} or {@link Mount3#VERSION}
     * @param mounts shared by the versions
     * @param callers tells who makes calls
     * @param failures logs internal errors
     */
    public MountProgram(
            int version, Exports exports, MountList mounts, Callers callers, FailureLog failures) {
        this.version = version;
        this.exports = exports;
        this.mounts = mounts;
        this.callers = callers;
        this.failures = failures;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(Mount3.PROGRAM, version);
    }

    @Override
    public Optional<PeerIdentifier> identifier() {
        return Optional.of(callers.identifier());
    }

    @Override
    public ProcedureDescriptor procedure(int servedVersion, int procedure) {
        return procedure == 0 ? ProcedureDescriptor.NULL : REPEATABLE;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        if (!Mount1.Procedure.exists(request.procedure())) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        // Version 1 has all procedures of version 3, with their numbers.
        var procedure = Mount1.Procedure.of(request.procedure());
        if (procedure == Mount1.Procedure.EXPORTALL && version != Mount1.VERSION) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        var in = request.arguments();
        var client = Mounter.of(request);
        switch (procedure) {
            case NULL -> in.finish();
            case MNT -> {
                var path = PathName.decode(in, Mount3.PATH_MAX).normalized();
                in.finish();
                encode(results, mount(path, request));
            }
            case DUMP -> {
                in.finish();
                MountEntry.encode(results, shown(client));
            }
            case UMNT -> {
                var path = PathName.decode(in, Mount3.PATH_MAX).normalized();
                in.finish();
                if (mounts.remove(new MountList.Entry(client, path))) {
                    exports.notices().unmounted(request.peer(), request.identity(), path);
                }
            }
            case UMNTALL -> {
                in.finish();
                mounts.removeAll(client);
            }
            case EXPORT, EXPORTALL -> {
                in.finish();
                var list = new ArrayList<ExportEntry>();
                for (var each : exports.all()) {
                    var export = each.export();
                    list.add(new ExportEntry(PathName.of(export.name()), export.groups()));
                }
                ExportEntry.encode(results, list);
            }
        }
        return AcceptStatus.SUCCESS;
    }

    /**
     * Returns the list of mounts for a client. What others have mounted below an export is told as
     * the export alone: the directories that lead there may hide the names.
     */
    private List<MountEntry> shown(Mounter client) {
        var shown = new LinkedHashSet<MountEntry>();
        for (var each : mounts.all()) {
            if (each.mounter().equals(client)) {
                shown.add(each.shown());
            } else {
                exports.find(each.path())
                        .map(found -> PathName.of(found.export().name()))
                        .map(name -> new MountEntry(each.mounter().address(), name))
                        .ifPresent(shown::add);
            }
        }
        return List.copyOf(shown);
    }

    /** What MNT answers. */
    private sealed interface Answer {
        /**
         * @param export that of the directory
         */
        record Handle(byte[] handle, OpenExport export) implements Answer {}

        record Refused(MountStatus status) implements Answer {}
    }

    private void encode(XdrWriter results, Answer answer) {
        if (version == Mount1.VERSION) {
            switch (answer) {
                case Answer.Handle(var handle, _) ->
                        new Mount1.MountResult.Ok(handle).encode(results);
                case Answer.Refused(var status) ->
                        new Mount1.MountResult.Failed(status).encode(results);
            }
        } else {
            switch (answer) {
                case Answer.Handle(var handle, var export) -> {
                    var flavors = export.export().flavors().stream();
                    var numbers = flavors.map(SecurityFlavor::number).toList();
                    new Mount3.MountResult.Ok(handle, numbers).encode(results);
                }
                case Answer.Refused(var status) ->
                        new Mount3.MountResult.Failed(status).encode(results);
            }
        }
    }

    /**
     * Mounts an export, or a directory below an export. The answer holds the handle of that
     * directory.
     */
    private Answer mount(PathName path, RpcRequest request) {
        try {
            var directory = find(path, request);
            var export = directory.export();
            byte[] handle =
                    version == Mount1.VERSION
                            ? exports.shortHandle(export, directory.file())
                            : exports.handle(export, directory.file()).bytes();
            mounts.add(new MountList.Entry(Mounter.of(request), path));
            exports.notices().mounted(request.peer(), request.identity(), export, path);
            return new Answer.Handle(handle, export);
        } catch (Refusal refusal) {
            return refused(path, request, refusal.failure());
        } catch (StoreException failure) {
            return refused(path, request, failure.failure());
        } catch (RuntimeException error) {
            failures.report("an internal error in MNT", error);
            return new Answer.Refused(MountStatus.SERVERFAULT);
        }
    }

    private Answer refused(PathName path, RpcRequest request, Failure failure) {
        var export = exports.find(path).orElse(null);
        exports.notices().refused(request.peer(), request.identity(), path, export, failure);
        return new Answer.Refused(status(failure));
    }

    /**
     * @throws Refusal NOENT if no export holds the path, ACCES if its export gives no handles of
     *     this version, or a reason of the walk
     */
    private Place.Exported find(PathName path, RpcRequest request) throws Refusal, StoreException {
        var export = exports.find(path).orElseThrow(() -> new Refusal(Failure.NOENT));
        var below = path.below(PathName.of(export.export().name())).orElseThrow();
        var found = walk(export, below, request);
        if (version == Mount1.VERSION && !exports.hasShortHandles(found.export())) {
            throw new Refusal(Failure.ACCES);
        }
        return found;
    }

    /**
     * Finds a directory as the caller: LOOKUP of each name, from the root of the export on, would
     * find it too. Every host that the rule admits gets the root itself, with any flavor. The path
     * may lead into an export inside the first one; then the rules of both have to allow the
     * caller.
     */
    private Place.Exported walk(OpenExport export, PathName below, RpcRequest request)
            throws Refusal, StoreException {
        var client = callers.of(request);
        var at = new Place.Exported(export, export.store().root());
        for (var name : below.names()) {
            if (name.isDots()) {
                throw new Refusal(Failure.INVAL);
            }
            try (var directory = exports.openToMount(at.export(), at.file(), client)) {
                at = step(at, directory, name);
            }
        }
        try (var found = exports.openToMount(at.export(), at.file(), client)) {
            found.node().status();
        }
        return at;
    }

    private Place.Exported step(Place.Exported at, CallTarget directory, FileName name)
            throws Refusal, StoreException {
        var found = directory.node().lookup(directory.caller(), name);
        if (!found.status().isDirectory()) {
            throw new Refusal(Failure.NOTDIR);
        }
        return exports.tree()
                .covering(at.export(), found.id())
                .map(inner -> new Place.Exported(inner, inner.store().root()))
                .orElseGet(() -> new Place.Exported(at.export(), found.id()));
    }

    private static MountStatus status(Failure failure) {
        return switch (failure) {
            case NOENT, STALE -> MountStatus.NOENT;
            case NOTDIR -> MountStatus.NOTDIR;
            case NAMETOOLONG -> MountStatus.NAMETOOLONG;
            case INVAL -> MountStatus.INVAL;
            case IO -> MountStatus.IO;
            case AGAIN, FAULT -> MountStatus.SERVERFAULT;
            default -> MountStatus.ACCES;
        };
    }
}
