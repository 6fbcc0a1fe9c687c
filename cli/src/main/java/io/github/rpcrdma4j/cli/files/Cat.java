package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Mounts;
import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.connect.UrlPattern;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.StandardOutput;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
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
public final class Cat implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private boolean hasFailures;

    @Override
    public Integer call() throws Exception {
        var patterns = urls.stream().map(UrlPattern::parse).toList();
        // The writer for commands prints characters; this needs bytes.
        try (remote;
                var mounts = new Mounts(remote);
                var out = new StandardOutput(new FileOutputStream(FileDescriptor.out))) {
            for (var pattern : patterns) {
                write(mounts, pattern, patterns.size() == 1, out);
            }
        }
        return hasFailures ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    /**
     * Writes the files of one URL that the user gave.
     *
     * @param isOnly whether the user gave no other one
     */
    private void write(Mounts mounts, UrlPattern pattern, boolean isOnly, OutputStream out)
            throws IOException, InterruptedException {
        var matches = List.<NfsUrl>of();
        try {
            matches = pattern.expand(mounts, this::failed);
        } catch (IOException ofOne) {
            out.flush();
            failed(ofOne, isOnly);
        }
        for (var url : matches) {
            try {
                write(mounts.of(url), url, out);
            } catch (IOException ofOne) {
                out.flush();
                failed(ofOne, isOnly && matches.size() == 1);
            }
        }
    }

    private void failed(IOException failure, boolean isOnly) throws IOException {
        if (isOnly || failure instanceof RpcException) {
            throw failure;
        }
        failed(failure);
    }

    private void failed(IOException failure) {
        spec.commandLine().getErr().println("rpcrdma: " + FailureText.oneLine(failure));
        hasFailures = true;
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
