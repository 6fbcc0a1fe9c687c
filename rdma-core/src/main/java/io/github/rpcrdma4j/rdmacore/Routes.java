package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Layouts;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.RdmaCm;
import io.github.rpcrdma4j.rdmacore.library.SocketAddresses;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Which device reaches an address, by an id of librdmacm that is then destroyed. */
final class Routes {
    private static final int TIMEOUT_MILLIS = 2000;

    /** An operation that assigns an id to a device: it returns 0 or an error number. */
    private interface Assignment {
        int assign(long id, long address);
    }

    private Routes() {}

    /** Returns the device that routes to an address of a peer. */
    static Optional<Device> to(InetSocketAddress peer) {
        return device(peer, (id, at) -> RdmaCm.resolveAddress(id, at, TIMEOUT_MILLIS));
    }

    /** Returns the device that has an address of this machine. */
    static Optional<Device> at(InetSocketAddress local) {
        return device(new InetSocketAddress(local.getAddress(), 0), RdmaCm::bind);
    }

    private static Optional<Device> device(InetSocketAddress address, Assignment assignment) {
        var all = Devices.all();
        try (var arena = Arena.ofConfined()) {
            long into = arena.allocate(Long.BYTES, 8).address();
            long at = arena.allocate(SocketAddresses.SIZE, 8).address();
            // Without a channel, the calls on the id wait for their events.
            if (RdmaCm.createId(0, into) != 0) {
                return Optional.empty();
            }
            long id = Memory.int64(into);
            SocketAddresses.write(address, at);
            long context = assignment.assign(id, at) == 0 ? Memory.int64(id + Layouts.Id.VERBS) : 0;
            RdmaCm.destroyId(id);
            return all.stream().filter(each -> each.context == context).findFirst();
        }
    }
}
