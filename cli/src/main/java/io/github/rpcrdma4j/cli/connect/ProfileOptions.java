package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that choose the wire profile: a version, or RFC 5666. */
@Section(Section.Heading.CONNECTION)
public final class ProfileOptions {
    @Mixin private final VersionOptions version;

    @Option(
            names = "--rfc5666",
            description =
                    "Speak version 1 by RFC 5666, which RFC 8166 replaced; both sides must."
                            + " CONF_RDMA begins, data in Sends is aligned (RDMA_MSGP), and the"
                            + " client fetches listings and confirms that (RDMA_DONE).")
    private boolean rfc5666;

    /**
     * Creates the options.
     *
     * @param usual the version used without an option
     */
    public ProfileOptions(VersionOptions.Choice usual) {
        version = new VersionOptions(usual);
    }

    /**
     * Returns the selected wire profile. It is always the same one.
     *
     * @throws IllegalArgumentException if the options exclude each other
     */
    public WireProfile profile() {
        if (!rfc5666) {
            return version.profile();
        }
        version.requireVersion1("--rfc5666");
        return Rfc5666.DEFAULT;
    }

    /** Returns whether the profile is that of RFC 5666. */
    public boolean isRfc5666() {
        return rfc5666;
    }
}
