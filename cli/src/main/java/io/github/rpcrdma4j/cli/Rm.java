package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.IncompleteTreeException;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.TreeRemover;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Removes files from a server. */
@Command(
        name = "rm",
        description = "Remove a file, an empty directory, or with -r a tree on a server.",
        footer = {"", "Example: rpcrdma rm rdma://server/export/old.txt"})
final class Rm extends MountCommand {
    @Option(
            names = {"-r", "--recursive"},
            description = "Remove directories with all below them.")
    private boolean recursive;

    @Override
    int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var name = url.path().escaped();
        var place = mount.place(url.path());
        var file = mount.find(url.path());
        if (file.isEmpty()) {
            throw new NfsException("cannot remove " + name, Status.NOENT);
        }
        boolean directory = file.get().attributes().isDirectory();
        if (url.isDirectory() && !directory) {
            throw new NfsException("cannot remove " + url, Status.NOTDIR);
        }
        if (!recursive) {
            if (directory) {
                mount.removeDirectory(url.path());
            } else {
                mount.remove(url.path());
            }
            return CommandLine.ExitCode.OK;
        }
        try (var progress = Progress.of("rm", Progress.Unit.FILES, spec.commandLine().getErr())) {
            remote.setNoticePrinter(progress::println);
            new TreeRemover(mount, remote.options(), progress).remove(place, file.get(), name);
            return CommandLine.ExitCode.OK;
        } catch (IncompleteTreeException _) {
            return CommandLine.ExitCode.SOFTWARE;
        }
    }
}
