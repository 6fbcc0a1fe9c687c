package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.linux.SocketOwner;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.state.event.CallbackPath;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments.SetClientId;
import io.github.rpcrdma4j.oncrpc.PeerIdentity.Process;
import io.github.rpcrdma4j.oncrpc.rpcbind.Netid;
import io.github.rpcrdma4j.oncrpc.rpcbind.UniversalAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;

/**
 * A port of the host that a SETCLIENTID came from (RFC 7530, Section 16.33).
 *
 * @param program the number of the client's RPC program
 * @param ident what each call repeats, so that the client knows what it is about
 */
public record CallerPath(InetSocketAddress address, int program, int ident)
        implements CallbackPath {
    /** The least program number that IANA does not assign (RFC 5531, Section 13). */
    private static final int UNASSIGNED = 0x2000_0000;

    /**
     * Returns where a client is called back. There is nothing unless it names a port of its own
     * address, of TCP: otherwise clients could have the server connect to hosts of their choice.
     * There is nothing if IANA assigns the number of the program, either: a user of the host could
     * have the server call other programs there. A user of this machine has to own the port: others
     * are those of this server, for example, which would call itself.
     */
    public static Optional<CallerPath> of(SetClientId call, Client caller) {
        var peer = caller.peer();
        var place = call.callback();
        if (Integer.compareUnsigned(place.program(), UNASSIGNED) < 0) {
            return Optional.empty();
        }
        return UniversalAddress.parse(place.address().toString())
                .filter(each -> each.getPort() != 0 && isOf(peer.getAddress(), each))
                .filter(
                        each ->
                                Netid.tcp(each.getAddress())
                                        .word()
                                        .equals(place.netId().toString()))
                // The address of the caller also says over which interface it is reached.
                .map(each -> new InetSocketAddress(peer.getAddress(), each.getPort()))
                .filter(each -> isOwnPort(each, caller.identity().process()))
                .map(each -> new CallerPath(each, place.program(), call.callbackIdent()));
    }

    private static boolean isOwnPort(InetSocketAddress named, Process caller) {
        return switch (caller) {
            case Process.Elsewhere() -> true;
            case Process.Unknown() -> false;
            case Process.Local(int uid) -> {
                var owner = SocketOwner.ofListener(named, named.getAddress());
                yield owner.isPresent() && (int) owner.getAsLong() == uid;
            }
        };
    }

    private static boolean isOf(InetAddress caller, InetSocketAddress named) {
        return caller != null
                && Arrays.equals(caller.getAddress(), named.getAddress().getAddress());
    }
}
