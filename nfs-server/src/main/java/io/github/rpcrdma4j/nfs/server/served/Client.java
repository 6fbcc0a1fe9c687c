package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.net.InetSocketAddress;
import java.util.Collection;

/**
 * The origin of a call.
 *
 * @param peer the address of the caller
 * @param flavor of its calls
 * @param credential a user or no user; never a principal
 */
public record Client(InetSocketAddress peer, SecurityFlavor flavor, Credential credential) {
    /** Returns the origin of a call, with the user that its principal is. */
    public static Client of(RpcRequest request, KerberosUsers identities) {
        var caller = request.credential();
        return new Client(request.peer(), caller.flavor(), identities.userOf(caller));
    }

    /** Returns this origin, without a user if its flavor is none of these. */
    Client orAnonymous(Collection<SecurityFlavor> accepted) {
        return accepted.contains(flavor)
                ? this
                : new Client(peer, flavor, new Credential.None());
    }
}
