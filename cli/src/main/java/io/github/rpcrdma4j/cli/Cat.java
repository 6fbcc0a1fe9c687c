package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.Copier;
import io.github.rpcrdma4j.nfs.client.CopyListener;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Writes a file to standard output. */
@Command(
        name = "cat",
        description = "Write a file of a server to standard output.",
        footer = {"", "Example: rpcrdma cat rdma://server/export/notes.txt | less"})
final class Cat implements Callable<Integer> {
    @Parameters(paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Mixin private final Remote remote = new Remote();

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        try (remote;
                var mount = remote.mount(place)) {
            var file = mount.locate(place.path(), true);
            if (file.attributes().isDirectory()) {
                throw new NfsException("cannot read " + place.path().escaped(), Status.ISDIR);
            }
            if (place.isFolder()) {
                throw new NfsException("cannot read " + place, Status.NOTDIR);
            }
            // Octets, not characters: past the writer that commands print with.
            try (var out = new StandardOutput(new FileOutputStream(FileDescriptor.out))) {
                new Copier(mount, remote.options(), CopyListener.NONE)
                        .stream(file, place.path().escaped(), out);
            }
        }
        return CommandLine.ExitCode.OK;
    }
}
