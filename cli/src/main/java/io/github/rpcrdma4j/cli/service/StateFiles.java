package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.nfs.server.stable.StableDirectory;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where the servers of a user keep what outlives them, and listen to their administrator. */
public final class StateFiles {
    /** Where the unit of the packages has its state: StateDirectory of rpcrdma.service. */
    private static final Path SERVICE = Path.of("/var/lib/rpcrdma4j");

    private StateFiles() {}

    /**
     * Returns the directory of all: {@code $XDG_STATE_HOME/rpcrdma4j}, or {@code
     * $HOME/.local/state/rpcrdma4j}. It need not exist.
     */
    public static Path directory() {
        return directory(System.getenv());
    }

    /**
     * Returns the directory of all in an environment. As the XDG Base Directory Specification says,
     * a relative path there counts as none; without HOME the home of the user counts.
     */
    public static Path directory(Map<String, String> environment) {
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
    public static void make() throws IOException {
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
    public static String instance(InetSocketAddress rdma) {
        var address = rdma.getAddress();
        if (address != null && address.isAnyLocalAddress()) {
            return Integer.toString(rdma.getPort());
        }
        var host = address == null ? rdma.getHostString() : address.getHostAddress();
        return HostPort.bracketed(host).replace('/', '_') + ":" + rdma.getPort();
    }

    /** Returns the directory for the records of a server's clients. */
    public static Path records(String instance) {
        return directory().resolve("clients-" + instance);
    }

    /** Returns the path of the control socket of a server. */
    public static Path control(String instance) {
        return control(directory()).resolve(instance + ".sock");
    }

    private static Path control(Path directory) {
        return directory.resolve("control");
    }

    /**
     * Returns the path of the control socket of a server at a port: on all addresses, or if there
     * is none, on one address. Root finds the service of the packages, too.
     *
     * @throws IllegalArgumentException if there are several such servers
     */
    static Path controlOf(int port) {
        boolean isRoot = CallerOptions.user() instanceof Credential.Sys own && own.uid() == 0;
        return controlOf(port, isRoot ? List.of(directory(), SERVICE) : List.of(directory()));
    }

    /**
     * Likewise, with the state in any of several directories.
     *
     * @param directories the first one is that of this user
     */
    static Path controlOf(int port, List<Path> directories) {
        var found = new LinkedHashSet<Path>();
        for (var each : directories) {
            found.addAll(sockets(port, control(each)));
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException(
                    "several servers listen at port %d: name one by --control, such as %s"
                            .formatted(port, found.getFirst()));
        }
        return found.isEmpty()
                ? control(directories.getFirst()).resolve(port + ".sock")
                : found.getFirst();
    }

    private static List<Path> sockets(int port, Path directory) {
        var onAll = directory.resolve(port + ".sock");
        if (Files.exists(onAll)) {
            return List.of(onAll);
        }
        var found = new ArrayList<Path>();
        try (var others = Files.newDirectoryStream(directory, "*:" + port + ".sock")) {
            others.forEach(found::add);
        } catch (IOException | DirectoryIteratorException _) {
            // No server has run there yet.
        }
        return found;
    }
}
