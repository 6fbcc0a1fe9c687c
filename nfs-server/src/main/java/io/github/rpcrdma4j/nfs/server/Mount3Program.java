package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.Exported;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.mount.Mount3.Mounted;
import io.github.rpcrdma4j.nfs.mount.Mount3.Mounting;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** MOUNT version 3 (RFC 1813, Appendix I). */
final class Mount3Program implements RpcProgram {
    /** AUTH_SYS and AUTH_NONE. */
    private static final List<Integer> FLAVORS = List.of(1, 0);

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
        var client = request.peer().getAddress().getHostAddress();
        switch (procedures[request.procedure()]) {
            case NULL -> in.finish();
            case MNT -> {
                var path = in.string(Mount3.PATH_MAX);
                in.finish();
                mount(path, client).encode(results);
            }
            case DUMP -> {
                in.finish();
                synchronized (mountings) {
                    Mounting.encode(results, List.copyOf(mountings));
                }
            }
            case UMNT -> {
                var path = in.string(Mount3.PATH_MAX);
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
                    exports.add(new Exported(tree.export().name(), List.of()));
                }
                Exported.encode(results, exports);
            }
        }
        return AcceptStatus.SUCCESS;
    }

    /** An export, or a folder below one: then the handle is that of the folder. */
    private Mounted mount(String path, String client) {
        for (var tree : forest.trees()) {
            var name = tree.export().name();
            if (path.equals(name) || path.startsWith(name + "/")) {
                var mounted = mount(tree, path.substring(name.length()));
                if (mounted instanceof Mounted.Ok) {
                    remember(new Mounting(client, path));
                }
                return mounted;
            }
        }
        return new Mounted.Failed(MountStatus.NOENT);
    }

    private Mounted mount(Tree tree, String below) {
        try {
            var folder = forest.locate(tree.rootHandle());
            for (var name : below.split("/")) {
                if (!name.isEmpty()) {
                    Tree.requireChangeableName(name);
                    folder = tree.child(folder, name);
                    if (!folder.attributes().isDirectory()) {
                        return new Mounted.Failed(MountStatus.NOTDIR);
                    }
                }
            }
            return new Mounted.Ok(folder.handle().octets(), FLAVORS);
        } catch (Refusal | IOException failure) {
            return new Mounted.Failed(
                    Refusal.of(failure) == Status.NOENT ? MountStatus.NOENT : MountStatus.ACCES);
        }
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
