package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.server.users.LocalAccounts;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.PeerIdentity.Process;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import java.util.List;

/**
 * Finds which user makes a call: by a Kerberos principal, by an AUTH_SYS credential, or by the
 * process of this machine that calls. Thread-safe.
 */
public final class Callers {
    /** The group of those who are in no group. */
    private static final int NO_GROUP = -1;

    private final KerberosUsers identities;
    private final LocalProcesses processes = new LocalProcesses();
    private final LocalAccounts accounts = new LocalAccounts();

    /**
     * @param identities maps the Kerberos principals of callers to users
     */
    public Callers(KerberosUsers identities) {
        this.identities = identities;
    }

    /** Returns what maps the Kerberos principals of callers to users. */
    public KerberosUsers identities() {
        return identities;
    }

    /** Returns what finds who is at the other end of connections. */
    public PeerIdentifier identifier() {
        return processes;
    }

    /** Returns the origin of a call, with the user that its principal is. */
    public Client of(RpcRequest request) {
        var claimed = identities.userOf(request.credential());
        var own = request.credential() instanceof Credential.Sys sys ? own(request, sys) : claimed;
        return new Client(
                request.peer(),
                request.identity(),
                request.version(),
                request.credential(),
                claimed,
                own,
                origin(request));
    }

    private static Origin origin(RpcRequest request) {
        var identity = request.identity();
        var client = identity.client();
        return new Origin(
                client,
                client.isNetwork()
                        ? CallerPlace.ofClient(request.peer().getAddress(), identity)
                        : "");
    }

    /** Returns what a caller with AUTH_SYS is known to be. */
    private Credential own(RpcRequest request, Credential.Sys claimed) {
        return switch (request.identity().process()) {
            case Process.Elsewhere() -> claimed;
            case Process.Local local when local.isRoot() -> claimed;
            case Process.Local(int uid) when uid == claimed.uid() -> withOwnGroups(claimed);
            case Process.Local _, Process.Unknown _ -> new Credential.None();
        };
    }

    /** The kernel tells the user of a process, but not its groups. */
    private Credential withOwnGroups(Credential.Sys claimed) {
        var account = accounts.user(claimed.uid());
        int gid = account.map(Credential.Sys::gid).orElse(NO_GROUP);
        List<Integer> groups = account.map(Credential.Sys::gids).orElse(List.of());
        boolean isMember = claimed.gid() == gid || groups.contains(claimed.gid());
        return new Credential.Sys(
                claimed.stamp(),
                claimed.machine(),
                claimed.uid(),
                isMember ? claimed.gid() : gid,
                claimed.gids().stream()
                        .filter(each -> each == gid || groups.contains(each))
                        .toList());
    }

    /**
     * Returns a name for who makes a call, equal after restarts. Two users of this machine never
     * have the same, and neither do two of a host who call as different users.
     */
    public String nameOf(RpcRequest request) {
        return switch (request.credential()) {
            case Credential.Principal(var name, _) -> "krb5:" + name;
            case Credential.Sys sys ->
                    "sys:" + Integer.toUnsignedString(sys.uid()) + by(request, sys.uid());
            case Credential.None() -> "none" + by(request, NO_GROUP);
        };
    }

    private String by(RpcRequest request, int claimed) {
        return switch (request.identity().process()) {
            case Process.Elsewhere() -> "";
            case Process.Local local when local.isRoot() || local.uid() == claimed -> "";
            case Process.Local(int uid) -> " by " + Integer.toUnsignedString(uid);
            case Process.Unknown() -> " by a local user";
        };
    }
}
