package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.export.Export;
import java.util.List;

/**
 * What is to be served, and where: by the options of the command line, or by a config file.
 *
 * @param isInMemory whether the files do not outlive the server
 */
record HostSettings(
        List<Export> exports,
        ListenOptions.Addresses addresses,
        Nfs4Options nfs4,
        boolean isInMemory) {}
