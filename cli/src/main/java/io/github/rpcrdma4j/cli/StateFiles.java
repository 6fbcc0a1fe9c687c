package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;

/** Where the servers of a user keep what outlives them, and listen to their administrator. */
final class StateFiles {
    private StateFiles() {}

    /**
     * Returns the directory of all: {@code $XDG_STATE_HOME/rpcrdma4j}, or {@code
     * $HOME/.local/state/rpcrdma4j}. It need not exist.
     */
    static Path directory() {
        return directory(System.getenv());
    }

    /**
     * Returns the directory of all in an environment. As the XDG Base Directory Specification says,
     * a relative path there counts as none; without HOME the home of the user counts.
     */
    static Path directory(Map<String, String> environment) {
        return absolute(environment, "XDG_STATE_HOME")
                .orElseGet(
                        () ->
                                absolute(environment, "HOME")
                                        .orElse(Path.of(System.getProperty("user.home")))
                                        .resolve(".local", "state"))
                .resolve("rpcrdma4j");
    }

    /**
     * Makes the directory of all, unless it is there.
     *
     * @throws IOException if it cannot be made; the message is one line, and says how to choose
     *     another one
     */
    static void make() throws IOException {
        var directory = directory();
        try {
            StableDirectory.create(directory, _ -> {});
        } catch (IOException refused) {
            throw new IOException(
                    "cannot make %s, where the server keeps its state: %s (XDG_STATE_HOME names another directory for it)"
                            .formatted(directory, FailureText.oneLine(refused)),
                    refused);
        }
    }

    private static Optional<Path> absolute(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).map(Path::of).filter(Path::isAbsolute);
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

    /**
     * Returns the path of the control socket of a server at a port: on all addresses, or if there
     * is none, on one address.
     *
     * @throws IllegalArgumentException if servers listen there on several addresses
     */
    static Path controlOf(int port) {
        var onAll = control(Integer.toString(port));
        var found = new ArrayList<Path>();
        try (var others = Files.newDirectoryStream(onAll.getParent(), "*:" + port + ".sock")) {
            others.forEach(found::add);
        } catch (IOException | DirectoryIteratorException _) {
            // No server of this user has run yet.
        }
        if (Files.exists(onAll) || found.isEmpty()) {
            return onAll;
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException(
                    "servers listen at port %d on several addresses: name one by --control, such as %s"
                            .formatted(port, found.getFirst()));
        }
        return found.getFirst();
    }

    /** Returns the path of the control socket of a server at the standard port. */
    static Path control() {
        return control(Integer.toString(Nfs3.RDMA_PORT));
    }
}
