package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.TreeChanger;
import io.github.rpcrdma4j.nfs.client.copy.TreeChanger.Changes;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import picocli.CommandLine.Option;

/** The common option of commands that change attributes, and the change of one file or tree. */
final class ChangeOptions {
    @Option(
            names = {"-R", "--recursive"},
            description = "Also change all that is below a directory.")
    private boolean recursive;

    /**
     * Changes a file, or with the option a tree.
     *
     * @param what the start of messages: {@code "cannot change the mode of "}
     */
    void change(
            FilesCommand command,
            NfsMount mount,
            RemoteFile file,
            NfsUrl url,
            String what,
            Changes changes)
            throws IOException, InterruptedException {
        var name = url.path().escaped();
        if (!recursive || !file.attributes().isDirectory()) {
            var wanted = changes.of(file.attributes());
            if (!wanted.equals(AttributeChanges.NONE)) {
                mount.change(file.handle(), wanted, what + name);
            }
        } else {
            try (var progress =
                    Progress.of(command.spec.name(), Progress.Unit.FILES, command.output.err())) {
                command.remote.showIn(progress);
                new TreeChanger(mount, command.remote.options(), progress, what)
                        .change(file, name, changes);
            }
        }
        command.changed(mount, url.path());
    }
}
