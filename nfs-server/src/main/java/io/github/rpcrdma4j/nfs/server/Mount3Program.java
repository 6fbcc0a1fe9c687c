package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.Exported;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.mount.Mount3.Mounted;
import io.github.rpcrdma4j.nfs.mount.Mount3.Mounting;
import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** MOUNT version 3 (RFC 1813, Appendix I). */
final class Mount3Program implements RpcProgram {
    /** The list of mounts is a courtesy; it is not worth more memory than this. */
    private static final int MOUNTINGS_MAX = 1024;

    private final Forest forest;
    private final Set<Mounting> mountings = new LinkedHashSet<>();

    Mount3Program(Forest forest) {
        this.forest = forest;
    }

    @Override
    public int program() {
        return Mount3.PROGRAM;
    }

    @Override
    public int lowestVersion() {
        return Mount3.VERSION;
    }

    @Override
    public int highestVersion() {
        return Mount3.VERSION;
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
                synchronized (mountings) {
                    Mounting.encode(results, List.copyOf(mountings));
                }
            }
            case UMNT -> {
                var path = PathName.decode(in, Mount3.PATH_MAX);
                in.finish();
                synchronized (mountings) {
                    mountings.remove(new Mounting(client, path));
                }
            }
            case UMNTALL -> {
                in.finish();
                synchronized (mountings) {
                    mountings.removeIf(mounting -> mounting.client().equals(client));
                }
            }
            case EXPORT -> {
                in.finish();
                var exports = new ArrayList<Exported>();
                for (var tree : forest.trees()) {
                    var export = tree.export();
                    exports.add(new Exported(PathName.of(export.name()), export.groups()));
                }
                Exported.encode(results, exports);
            }
        }
        return AcceptStatus.SUCCESS;
    }

    /** An export, or a folder below one: then the handle is that of the folder. */
    private Mounted mount(PathName path, RpcRequest request) {
        var tree = forest.find(path);
        if (tree.isEmpty()) {
            return new Mounted.Failed(MountStatus.NOENT);
        }
        var below = path.below(PathName.of(tree.get().export().name())).orElseThrow();
        try {
            var handle =
                    forest.seenFrom(request.peer(), request.credential().flavor())
                            .at(tree.get().rootHandle(), root -> walk(root, below));
            remember(new Mounting(request.peer().getHostString(), path));
            var flavors =
                    tree.get().export().flavors().stream().map(SecurityFlavor::number).toList();
            return new Mounted.Ok(handle.octets(), flavors);
        } catch (Refusal | IOException | RuntimeException failure) {
            return new Mounted.Failed(status(failure));
        }
    }

    private static FileHandle walk(Located root, PathName below) throws Refusal, IOException {
        var folder = root;
        for (var each : below.names()) {
            var name = Tree.text(each);
            Tree.requireChangeableName(name);
            folder = folder.tree().child(folder, name);
            if (!folder.attributes().isDirectory()) {
                throw new Refusal(Status.NOTDIR);
            }
        }
        return folder.handle();
    }

    private static MountStatus status(Exception failure) {
        return switch (Refusal.of(failure)) {
            case NOENT, STALE -> MountStatus.NOENT;
            case NOTDIR -> MountStatus.NOTDIR;
            case NAMETOOLONG -> MountStatus.NAMETOOLONG;
            case INVAL -> MountStatus.INVAL;
            case IO -> MountStatus.IO;
            default -> MountStatus.ACCES;
        };
    }

    private void remember(Mounting mounting) {
        synchronized (mountings) {
            if (mountings.size() == MOUNTINGS_MAX) {
                mountings.remove(mountings.iterator().next());
            }
            mountings.add(mounting);
        }
    }
}
