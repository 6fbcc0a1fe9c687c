package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.linux.LocalRoutes;
import io.github.rpcrdma4j.linux.SocketOwner;
import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.PeerIdentity.Process;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;

/**
 * Finds the user of this machine whose process is at the other end of a connection. The kernel is
 * asked when the connection is accepted (ADR 44). A port below 1024 proves nothing: the machine may
 * let all users have it.
 *
 * <p>A user counts as one client, from all its addresses: it has all of 127.0.0.0/8. Root and the
 * user of this server could end the server anyway, so their addresses count. Thread-safe.
 */
final class LocalProcesses implements PeerIdentifier {
    private final Optional<Integer> own =
            ProcessCredential.read() instanceof Credential.Sys sys
                    ? Optional.of(sys.uid())
                    : Optional.empty();

    @Override
    public PeerIdentity identify(InetSocketAddress peer, Optional<InetSocketAddress> local) {
        var process = process(peer, local);
        return new PeerIdentity(client(process, peer), process);
    }

    private ClientAddress client(Process process, InetSocketAddress peer) {
        return switch (process) {
            case Process.Local local when local.isRoot() || own.equals(Optional.of(local.uid())) ->
                    ClientAddress.of(peer);
            case Process.Local(int uid) -> ClientAddress.ofLocalUser(uid);
            case Process.Unknown() -> ClientAddress.ofUnknownLocalUsers();
            case Process.Elsewhere() -> ClientAddress.of(peer);
        };
    }

    private static Process process(InetSocketAddress peer, Optional<InetSocketAddress> local) {
        if (peer.getAddress() == null) {
            return new Process.Unknown();
        }
        if (local.isPresent() && SystemCalls.missing().isEmpty()) {
            switch (SocketOwner.ofAccepted(peer, local.get())) {
                case SocketOwner.Peer.OfUser(long uid) -> {
                    return new Process.Local((int) uid);
                }
                case SocketOwner.Peer.Unproved() -> {
                    return new Process.Unknown();
                }
                case SocketOwner.Peer.Absent() -> {
                    // It is of another machine, or has ended.
                }
            }
        }
        boolean isOwn =
                local.map(each -> each.getAddress().equals(peer.getAddress())).orElse(false);
        return isOwn || isLocal(peer.getAddress())
                ? new Process.Unknown()
                : new Process.Elsewhere();
    }

    /** Returns whether a process of this machine can have an address. */
    private static boolean isLocal(InetAddress address) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        var route =
                SystemCalls.missing().isEmpty()
                        ? LocalRoutes.isLocal(address)
                        : Optional.<Boolean>empty();
        return route.orElseGet(() -> isOfInterface(address));
    }

    private static boolean isOfInterface(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException _) {
            // The interfaces are not told: so it may be one of them.
            return true;
        }
    }
}
