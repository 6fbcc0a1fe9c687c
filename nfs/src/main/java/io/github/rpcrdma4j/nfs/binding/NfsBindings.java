package io.github.rpcrdma4j.nfs.binding;

import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.mount.MountBindings;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The bindings of RFC 8267. */
public final class NfsBindings {
    /** The bindings of all versions of NFS, MOUNT, NLM, NSM and NFSACL. */
    public static final List<UpperLayerBinding> ALL =
            List.of(
                    Nfs2Binding.BINDING,
                    Nfs3Binding.BINDING,
                    Nfs4Binding.BINDING,
                    MountBindings.VERSION_1,
                    MountBindings.VERSION_2,
                    MountBindings.VERSION_3,
                    NfsAcl.VERSION_2,
                    NfsAcl.VERSION_3,
                    Nlm.VERSION_1,
                    Nlm.VERSION_3,
                    Nlm.VERSION_4,
                    Nsm.VERSION_1);

    private static final Map<ProgramId, UpperLayerBinding> BY_PROGRAM =
            ALL.stream()
                    .collect(
                            Collectors.toUnmodifiableMap(
                                    each -> new ProgramId(each.program(), each.version()),
                                    each -> each));

    private NfsBindings() {}

    /** Returns the binding of a version of a program, or nothing if RFC 8267 has none. */
    public static Optional<UpperLayerBinding> find(int program, int version) {
        return Optional.ofNullable(BY_PROGRAM.get(new ProgramId(program, version)));
    }
}
