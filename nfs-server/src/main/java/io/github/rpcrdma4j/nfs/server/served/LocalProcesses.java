package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.linux.SocketOwner;
import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The users of this machine who have connected to the server from ports of 1024 and more, which any
 * user may have. Their number is asked from the kernel at the first call of a connection. What
 * comes from a port below 1024 is root's. Thread-safe.
 */
final class LocalProcesses {
    /** So many connections are known before those that have ended are looked for. */
    private static final int KNOWN_MAX = 8192;

    private final Map<Peer, Known> known = new ConcurrentHashMap<>();

    /** Whose process has the other end of a connection. */
    sealed interface Process {
        /** One of another machine, or root of this one. */
        record Elsewhere() implements Process {}

        /** One of a user of this machine. */
        record Here(int uid) implements Process {}

        /** One of this machine, whose user cannot be found, or which has ended. */
        record Unknown() implements Process {}
    }

    private static final Process ELSEWHERE = new Process.Elsewhere();
    private static final Process UNKNOWN = new Process.Unknown();

    /** A transport has one address object for each connection. */
    private record Peer(InetSocketAddress address) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Peer(var that) && that == address;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(address);
        }
    }

    /** What was found for a connection, whose memory is not kept when it has ended. */
    private record Known(Process process, WeakReference<ReverseDirection> connection) {
        boolean isOpen() {
            var found = connection.get();
            return found != null && found.isOpen();
        }
    }

    /** Returns whose process has made a call. */
    Process of(RpcRequest request) {
        var peer = request.peer();
        if (peer.getAddress() == null || ExportRule.isPrivileged(peer.getPort())) {
            return ELSEWHERE;
        }
        var connection = request.reverse();
        if (connection.isEmpty()) {
            // Nothing tells when it ends, so this is asked for each call.
            return ask(peer, Optional.empty());
        }
        var key = new Peer(peer);
        var found = known.get(key);
        if (found != null) {
            return found.process;
        }
        var process = ask(peer, connection.get().localAddress());
        if (!connection.get().isOpen()) {
            // Another process may have got the port.
            return isHere(peer.getAddress(), connection.get().localAddress()) ? UNKNOWN : ELSEWHERE;
        }
        if (known.size() >= KNOWN_MAX) {
            known.values().removeIf(each -> !each.isOpen());
        }
        if (known.size() < KNOWN_MAX) {
            known.put(key, new Known(process, new WeakReference<>(connection.get())));
        }
        return process;
    }

    private static Process ask(InetSocketAddress peer, Optional<InetSocketAddress> local) {
        if (!isHere(peer.getAddress(), local)) {
            return ELSEWHERE;
        }
        if (local.isEmpty() || SystemCalls.missing().isPresent()) {
            return UNKNOWN;
        }
        var uid = SocketOwner.find(peer, local.get());
        return uid.isPresent() ? new Process.Here((int) uid.getAsLong()) : UNKNOWN;
    }

    private static boolean isHere(InetAddress peer, Optional<InetSocketAddress> local) {
        if (peer.isLoopbackAddress()
                || local.map(each -> each.getAddress().equals(peer)).orElse(false)) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(peer) != null;
        } catch (SocketException _) {
            // The interfaces are not told: so it may be one of them.
            return true;
        }
    }
}
