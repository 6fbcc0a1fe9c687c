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
    int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var file = mount.resolve(url.path(), true);
        if (file.attributes().isDirectory()) {
            throw new NfsException("cannot read " + url.path().escaped(), Status.ISDIR);
        }
        if (url.isDirectory()) {
            throw new NfsException("cannot read " + url, Status.NOTDIR);
        }
        // The writer for commands prints characters; this needs bytes.
        try (var out = new StandardOutput(new FileOutputStream(FileDescriptor.out))) {
            new Copier(mount, remote.options(), CopyListener.NONE)
                    .stream(file, url.path().escaped(), out);
        }
        return CommandLine.ExitCode.OK;
    }
}
