package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Where the servers of a user keep what outlives them, and listen to their administrator. */
final class StateFiles {
    private StateFiles() {}

    /**
     * Returns the directory of all: {@code $XDG_STATE_HOME/rpcrdma4j}, or {@code
     * ~/.local/state/rpcrdma4j}. It need not exist.
     */
    static Path directory() {
        var state = System.getenv("XDG_STATE_HOME");
        var directory =
                state == null || state.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".local", "state")
                        : Path.of(state);
        return directory.resolve("rpcrdma4j");
    }

    /**
     * Returns the name of a server among those of the user: its port, with the address in front if
     * it does not listen on all.
     */
    static String instance(InetSocketAddress rdma) {
        var address = rdma.getAddress();
        if (address != null && address.isAnyLocalAddress()) {
            return Integer.toString(rdma.getPort());
        }
        var host = address == null ? rdma.getHostString() : address.getHostAddress();
        return HostPort.bracketed(host).replace('/', '_') + ":" + rdma.getPort();
    }

    /** Returns the directory for the records of a server's clients. */
    static Path records(String instance) {
        return directory().resolve("clients-" + instance);
    }

    /** Returns the path of the control socket of a server. */
    static Path control(String instance) {
        return directory().resolve("control").resolve(instance + ".sock");
    }

    /** Returns the path of the control socket of a server at the standard port. */
    static Path control() {
        return control(Integer.toString(Nfs3.RDMA_PORT));
    }
}
