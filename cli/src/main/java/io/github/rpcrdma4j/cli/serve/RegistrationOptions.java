package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.nfs.server.host.Rpcbind;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * The options by which a server registers with the rpcbind of its host, so that clients find its
 * ports (RFC 8267-4.2-1).
 */
@Section(Section.Heading.CONNECTION)
final class RegistrationOptions {
    @Option(
            names = "--rpcbind",
            description =
                    "Register NFS, NFSACL, MOUNT and, with --tcp, NLM and NSM with this host's"
                            + " rpcbind while serving: clients of version 3 then lock files.")
    private boolean wanted;

    @Option(
            names = "--rpcbind-port",
            paramLabel = "PORT",
            description =
                    "Register as --rpcbind does; rpcbind listens on this TCP port of loopback.")
    private Integer port;

    /**
     * Returns the rpcbind that the server registers with; empty if the user wants none.
     *
     * @throws IllegalArgumentException if the port is none
     */
    Optional<Rpcbind> rpcbind() {
        if (port != null) {
            return Optional.of(new Rpcbind.AtPort(AddressText.requirePort(port)));
        }
        return wanted ? Optional.of(new Rpcbind.OfMachine()) : Optional.empty();
    }
}
