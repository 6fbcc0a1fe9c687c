package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.net.InetSocketAddress;
import java.util.Collection;

/**
 * The origin of a call.
 *
 * @param peer the address of the caller
 * @param flavor of its calls
 * @param credential a user or no user; never a principal
 * @param own what of the credential is true of the process that calls, as far as the server can
 *     know: {@link Ports#OWN_USER}
 */
public record Client(
        InetSocketAddress peer, SecurityFlavor flavor, Credential credential, Credential own) {
    /** Returns this origin, without a user if its flavor is none of these. */
    Client orAnonymous(Collection<SecurityFlavor> accepted) {
        var nobody = new Credential.None();
        return accepted.contains(flavor) ? this : new Client(peer, flavor, nobody, nobody);
    }

    /** Returns who the caller is for a rule, before the rule squashes. */
    Credential believed(ExportRule rule) {
        return switch (rule.ports()) {
            case ANY, PRIVILEGED -> credential;
            case OWN_USER -> own;
        };
    }
}
