package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * Names the place that a call comes from: the whole address of its host, or the user of this
 * machine who calls. The name that a client of version 4 gives itself is valid at its place only.
 * Hosts with other addresses of the same network are other places. A user of this machine has all
 * local addresses, so each user is a place.
 */
public final class CallerPlace {
    private CallerPlace() {}

    /**
     * Returns the place that the names of clients of version 4 are valid at, equal after restarts.
     * Link-local addresses are told apart by the interface (RFC 4007, Section 6).
     */
    public static String ofClient(InetAddress address, PeerIdentity caller) {
        if (isUser(address, caller)) {
            return caller.client().toString();
        }
        int scope = address instanceof Inet6Address inner ? inner.getScopeId() : 0;
        return ofAddress(address) + (scope == 0 ? "" : "%" + scope);
    }

    /** Returns the text of an address and its user, in the name of a host of NLM. */
    public static String ofHost(InetAddress address, PeerIdentity caller) {
        return isUser(address, caller)
                ? ofAddress(address) + HostName.OF_USER + caller.client()
                : ofAddress(address);
    }

    /** Returns the text of an address. */
    public static String ofAddress(InetAddress address) {
        var text = address.getHostAddress();
        // The zone is the name of an interface of this machine, which may change.
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    private static boolean isUser(InetAddress address, PeerIdentity caller) {
        return !caller.client().equals(ClientAddress.of(address));
    }
}
