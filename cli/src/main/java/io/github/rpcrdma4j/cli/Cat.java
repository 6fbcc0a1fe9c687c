package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.Copier;
import io.github.rpcrdma4j.nfs.client.CopyListener;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Writes files of servers to standard output, one after the other. */
@Command(
        name = "cat",
        description = "Write files of a server to standard output, one after the other.",
        footer = {"", "Example: rpcrdma cat rdma://server/export/notes.txt | less"})
final class Cat implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private List<String> urls;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        var parsed = urls.stream().map(NfsUrl::parse).toList();
        int code = CommandLine.ExitCode.OK;
        // The writer for commands prints characters; this needs bytes.
        try (remote;
                var mounts = new Mounts(remote);
                var out = new StandardOutput(new FileOutputStream(FileDescriptor.out))) {
            for (var url : parsed) {
                try {
                    write(mounts.of(url), url, out);
                } catch (RpcException ofAll) {
                    throw ofAll;
                } catch (IOException ofOne) {
                    if (parsed.size() == 1) {
                        throw ofOne;
                    }
                    out.flush();
                    spec.commandLine().getErr().println("rpcrdma: " + FailureText.oneLine(ofOne));
                    code = CommandLine.ExitCode.SOFTWARE;
                }
            }
        }
        return code;
    }

    private void write(NfsMount mount, NfsUrl url, OutputStream out)
            throws IOException, InterruptedException {
        var file = mount.resolve(url.path(), true);
        if (file.attributes().isDirectory()) {
            throw new NfsException("cannot read " + url.path().escaped(), Status.ISDIR);
        }
        if (url.isDirectory()) {
            throw new NfsException("cannot read " + url, Status.NOTDIR);
        }
        new Copier(mount, remote.options(), CopyListener.NONE)
                .stream(file, url.path().escaped(), out);
    }
}
