package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.PeerIdentity.Process;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.tcp.PrivilegedPorts;
import java.net.InetSocketAddress;
import java.util.Collection;

/**
 * The caller of one RPC call: its address, its credential, and the user that the server takes it
 * for. Calls of all versions of NFS have one. It is not the client that a client ID of version 4
 * names.
 *
 * @param peer the address of the caller
 * @param identity who the caller was found to be when it connected
 * @param version of the program that it calls
 * @param claimed who it says that it is
 * @param credential the user that this is, or no user; never a principal
 * @param own what of the credential is true of the process that calls, as far as the server can
 *     know: {@link Ports#OWN_USER}
 * @param origin whose share the call uses
 */
public record Client(
        InetSocketAddress peer,
        PeerIdentity identity,
        int version,
        Credential claimed,
        Credential credential,
        Credential own,
        Origin origin) {
    /** Returns the flavor of its calls. */
    public SecurityFlavor flavor() {
        return claimed.flavor();
    }

    /** Returns whether the caller is root of its host, as far as its port tells. */
    public static boolean isPrivileged(InetSocketAddress peer, PeerIdentity identity) {
        boolean mayBeRoot =
                switch (identity.process()) {
                    case Process.Elsewhere() -> true;
                    case Process.Local local -> local.isRoot();
                    case Process.Unknown() -> false;
                };
        return mayBeRoot && PrivilegedPorts.contain(peer.getPort());
    }

    /** Returns whether the caller is root of its host, as far as its port tells. */
    public boolean isPrivileged() {
        return isPrivileged(peer, identity);
    }

    /** Returns whether a rule takes calls from where the caller is. */
    boolean isAcceptedBy(ExportRule rule) {
        return rule.accepts(flavor(), isPrivileged());
    }

    /** Returns this origin, without a user if its flavor is none of these. */
    Client orAnonymous(Collection<SecurityFlavor> accepted) {
        var nobody = new Credential.None();
        return accepted.contains(flavor())
                ? this
                : new Client(peer, identity, version, claimed, nobody, nobody, origin);
    }

    /** Returns who the caller is for a rule, before the rule squashes. */
    Credential believed(ExportRule rule) {
        return switch (rule.ports()) {
            case ANY, PRIVILEGED -> credential;
            case OWN_USER -> own;
        };
    }
}
