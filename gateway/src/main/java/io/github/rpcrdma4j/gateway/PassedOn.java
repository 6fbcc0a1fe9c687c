package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import java.util.HashSet;
import java.util.Set;

/**
 * The programs whose calls pass a gateway: NFS, MOUNT and NFSACL, and others if the operator names
 * them. Programs like NLM, NSM and rpcbind believe what comes from a port below 1024, or from their
 * own host: a restart of a host, an unlock in the name of another one. Through a gateway, each of
 * its clients could say that. Immutable.
 */
final class PassedOn {
    /** What a gateway is for. Their servers ask for a port below 1024 only to admit a host. */
    private static final Set<Integer> ALWAYS = Set.of(Nfs3.PROGRAM, Mount3.PROGRAM, NfsAcl.PROGRAM);

    private final Set<Integer> all;

    /**
     * @param others the programs that the operator names
     */
    PassedOn(Set<Integer> others) {
        var numbers = new HashSet<>(ALWAYS);
        numbers.addAll(others);
        this.all = Set.copyOf(numbers);
    }

    /** Returns whether calls of a program pass. */
    boolean contain(int program) {
        return all.contains(program);
    }

    /** Returns whether there is none but those that a gateway is for. */
    boolean areKnown() {
        return all.size() == ALWAYS.size();
    }
}
