package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.Copier;
import io.github.rpcrdma4j.nfs.client.CopyListener;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Writes a file of a server to standard output. */
@Command(
        name = "cat",
        description = "Write a file of a server to standard output.",
        footer = {"", "Example: rpcrdma cat rdma://server/export/notes.txt | less"})
final class Cat extends MountCommand {
    @Override
    int run(NfsMount mount, NfsUrl place) throws IOException, InterruptedException {
        var file = mount.resolve(place.path(), true);
        if (file.attributes().isDirectory()) {
            throw new NfsException("cannot read " + place.path().escaped(), Status.ISDIR);
        }
        if (place.isDirectory()) {
            throw new NfsException("cannot read " + place, Status.NOTDIR);
        }
        // The writer for commands prints characters; this needs bytes.
        try (var out = new StandardOutput(new FileOutputStream(FileDescriptor.out))) {
            new Copier(mount, remote.options(), CopyListener.NONE)
                    .stream(file, place.path().escaped(), out);
        }
        return CommandLine.ExitCode.OK;
    }
}
