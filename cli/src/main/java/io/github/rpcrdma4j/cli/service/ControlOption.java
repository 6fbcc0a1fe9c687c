package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.nfs.NfsPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The option that names a server of this host, for commands of its administrator. */
public final class ControlOption {
    @Option(
            names = "--control",
            paramLabel = "SOCKET",
            converter = RawArguments.PathConverter.class,
            description =
                    "The control socket that serve prints; by default that of port 20049, of root"
                            + " also that of the service of the packages.")
    private Path socket;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "The port of the server for RDMA, in place of --control.")
    private Integer port;

    /**
     * Returns the path of the socket.
     *
     * @throws IllegalArgumentException if the options name no server, or two
     */
    public Path path() {
        if (socket == null) {
            return StateFiles.controlOf(
                    port == null ? NfsPort.RDMA : AddressText.requirePort(port));
        }
        if (port != null) {
            throw new IllegalArgumentException("--control and --port exclude each other");
        }
        return socket;
    }

    /**
     * Sends a request, and passes the lines of the response on.
     *
     * @throws IOException if the server refused, or cannot be asked; the message is one line
     */
    public void ask(ControlRequest request, PrintWriter out) throws IOException {
        ControlSocket.ask(path(), request, out);
    }

    /**
     * Sends a request, and prints the response.
     *
     * @param command has the output
     * @throws IOException if the server refused, or cannot be asked; the message is one line
     */
    public void ask(ControlRequest request, CommandLine command) throws IOException {
        if (ControlSocket.ask(path(), request, command.getOut())) {
            command.getErr()
                    .println(
                            "rpcrdma: there are more than "
                                    + ControlRequest.ENTRIES_MAX
                                    + "; the rest is not shown");
        }
    }
}
