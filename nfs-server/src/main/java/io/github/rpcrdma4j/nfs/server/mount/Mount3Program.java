package io.github.rpcrdma4j.nfs.server.mount;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.Exports.Place;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
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
import java.util.Set;

/** The MOUNT version 3 program (RFC 1813, Appendix I). */
public final class Mount3Program implements RpcProgram {
    /** The most entries of the list of mounts, which is advisory and so deserves little memory. */
    private static final int MOUNT_ENTRIES_MAX = 1024;

    private static final ProcedureDescriptor REPEATABLE =
            ProcedureDescriptor.ORDINARY.withRepeatable(true);

    private final Exports exports;
    private final FailureLog failures;
    private final Set<MountEntry> mountEntries = new LinkedHashSet<>();

    /**
     * @param failures logs internal errors
     */
    public Mount3Program(Exports exports, FailureLog failures) {
        this.failures = failures;
        this.exports = exports;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(Mount3.PROGRAM, Mount3.VERSION);
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return procedure == 0 ? ProcedureDescriptor.NULL : REPEATABLE;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var procedures = Mount3.Procedure.values();
        if (request.procedure() < 0 || request.procedure() >= procedures.length) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        var in = request.arguments();
        var client = request.peer().getHostString();
        switch (procedures[request.procedure()]) {
            case NULL -> in.finish();
            case MNT -> {
                var path = PathName.decode(in, Mount3.PATH_MAX);
                in.finish();
                mount(path, request).encode(results);
            }
            case DUMP -> {
                in.finish();
                synchronized (mountEntries) {
                    MountEntry.encode(results, List.copyOf(mountEntries));
                }
            }
            case UMNT -> {
                var path = PathName.decode(in, Mount3.PATH_MAX);
                in.finish();
                synchronized (mountEntries) {
                    mountEntries.remove(new MountEntry(client, path));
                }
            }
            case UMNTALL -> {
                in.finish();
                synchronized (mountEntries) {
                    mountEntries.removeIf(entry -> entry.client().equals(client));
                }
            }
            case EXPORT -> {
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
     * Mounts an export, or a directory below an export. The result holds the handle of that
     * directory.
     */
    private MountResult mount(PathName path, RpcRequest request) {
        var found = exports.find(path);
        if (found.isEmpty()) {
            return new MountResult.Failed(MountStatus.NOENT);
        }
        var below = path.below(PathName.of(found.get().export().name())).orElseThrow();
        try {
            var directory = walk(found.get(), below, request);
            remember(new MountEntry(request.peer().getHostString(), path));
            var export = directory.export();
            var flavors = export.export().flavors().stream().map(SecurityFlavor::number).toList();
            return new MountResult.Ok(exports.handle(export, directory.file()).bytes(), flavors);
        } catch (Refusal refusal) {
            return new MountResult.Failed(status(refusal.failure()));
        } catch (StoreException failure) {
            return new MountResult.Failed(status(failure.failure()));
        } catch (RuntimeException error) {
            failures.report("an internal error in MNT", error);
            return new MountResult.Failed(MountStatus.SERVERFAULT);
        }
    }

    /**
     * Finds a directory with the rights of the server itself: the caller needs no rights on the
     * path to it. The path may lead into an export inside the first one; then the rules of both
     * have to allow the caller.
     */
    private Place.Exported walk(OpenExport export, PathName below, RpcRequest request)
            throws Refusal, StoreException {
        var at = new Place.Exported(export, export.store().root());
        var mounts = mounts(export, request);
        try (var root = export.store().node(at.file(), mounts)) {
            root.status();
        }
        for (var name : below.names()) {
            if (name.isDots()) {
                throw new Refusal(Failure.INVAL);
            }
            var store = at.export().store();
            try (var node = store.node(at.file(), mounts)) {
                var found = node.lookup(new Caller.Server(), name);
                if (!found.status().isDirectory()) {
                    throw new Refusal(Failure.NOTDIR);
                }
                at = new Place.Exported(at.export(), found.id());
            }
            var inner = exports.tree().covering(at.export(), at.file());
            if (inner.isPresent()) {
                at = new Place.Exported(inner.get(), inner.get().store().root());
                mounts = mounts(at.export(), request);
            }
        }
        return at;
    }

    private static Mounts mounts(OpenExport export, RpcRequest request) throws Refusal {
        return Exports.mounts(Exports.rule(export, request.peer(), request.credential().flavor()));
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

    private void remember(MountEntry entry) {
        synchronized (mountEntries) {
            if (mountEntries.size() == MOUNT_ENTRIES_MAX) {
                mountEntries.remove(mountEntries.iterator().next());
            }
            mountEntries.add(entry);
        }
    }
}
