package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes directories on a server. */
@Command(
        name = "mkdir",
        description = "Make directories on a server.",
        footer = {"", "Example: rpcrdma mkdir -p rdma://server/export/a/b"})
final class Mkdir extends FilesCommand {
    @Option(
            names = {"-p", "--parents"},
            description = "Also make the directories above; one that is there is no failure.")
    private boolean parents;

    @Parameters(arity = "1..*", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private List<String> urls;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        if (parents) {
            makeAll(mount, url.path());
        } else {
            mount.makeDirectory(url.path());
        }
        changed(mount, url.path());
    }

    private static void makeAll(NfsMount mount, PathName path)
            throws IOException, InterruptedException {
        var names = path.below(mount.export()).orElseThrow().names();
        var at = mount.export();
        for (var name : names) {
            at = at.resolve(name);
            // Another client may make the same directory meanwhile.
            var there = mount.target(at).file();
            if (there.isEmpty()) {
                try {
                    mount.makeDirectory(at);
                } catch (NfsException exists) {
                    if (exists.status() != Status.EXIST) {
                        throw exists;
                    }
                    there = mount.target(at).file();
                }
            }
            if (there.isPresent() && !there.get().attributes().isDirectory()) {
                throw new NfsException("cannot make " + path.escaped(), Status.EXIST);
            }
        }
    }
}
