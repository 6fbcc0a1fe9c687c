package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.Copier;
import io.github.rpcrdma4j.nfs.client.IncompleteTreeException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.PreservedAttributes;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The common options of {@code put} and {@code get}, and the course of a copy. */
final class CopyCommand {
    @Option(
            names = {"-r", "--recursive"},
            description = {
                "Copy directories with all below them. Links stay links;",
                "FIFOs, sockets and devices are made again."
            })
    private boolean recursive;

    @Option(
            names = {"-p", "--preserve"},
            description = "Keep mode, times and access control lists, and the owner if permitted.")
    private boolean preserve;

    @Option(
            names = {"-a", "--archive"},
            description =
                    "Like -rp; hard links stay hard links, and a link that is named is copied itself.")
    private boolean archive;

    /** Makes the copy, once everything is set up. */
    interface Copy {
        void run(NfsMount mount, Copier copier) throws IOException, InterruptedException;
    }

    boolean isRecursive() {
        return recursive || archive;
    }

    /** Returns whether a link is copied as a link even if the user names it. */
    boolean keepsLinks() {
        return archive;
    }

    private PreservedAttributes kept() {
        if (archive) {
            return PreservedAttributes.ALL;
        }
        return preserve ? PreservedAttributes.ATTRIBUTES : PreservedAttributes.PERMISSIONS;
    }

    /**
     * Runs a copy, shows its progress, and prints its totals at the end.
     *
     * @param progress closed at the end
     * @return the exit code
     */
    int run(String name, Remote remote, NfsUrl url, Progress progress, PrintWriter err, Copy copy)
            throws IOException, InterruptedException {
        remote.setNoticePrinter(progress::println);
        var unfinished = "a temporary file may be left; the next " + name + " removes it";
        try (progress;
                var _ = CleanUp.watch(unfinished, progress::println);
                remote;
                var mount = remote.mount(url)) {
            var copier = new Copier(mount, remote.options(), progress, kept());
            try {
                copy.run(mount, copier);
                err.println(progress.finish());
                return CommandLine.ExitCode.OK;
            } catch (IncompleteTreeException _) {
                err.println(progress.finish());
                return CommandLine.ExitCode.SOFTWARE;
            } catch (InterruptedException _) {
                err.println("rpcrdma: interrupted after " + progress.finish() + left(copier));
                return CommandLine.ExitCode.SOFTWARE;
            }
        }
    }

    private static String left(Copier copier) {
        if (copier.leftOnServer() > 0) {
            return "; temporary files are left on the server, the next put there removes them";
        }
        return copier.leftHere() > 0
                ? "; temporary files are left here, they could not be removed"
                : "; temporary files are removed";
    }
}
