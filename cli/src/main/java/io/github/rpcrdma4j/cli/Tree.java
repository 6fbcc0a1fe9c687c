package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.LeftOut;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsMount.Named;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows a folder with all that is below it. */
@Command(
        name = "tree",
        mixinStandardHelpOptions = true,
        description = "Show a folder on a server with all that is below it.",
        footer = {"", "Example: rpcrdma tree rdma://server/export"})
final class Tree implements Callable<Integer> {
    @Parameters(paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
    private final LeftOut leftOut = new LeftOut();
    private long folders;
    private long files;

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        var out = spec.commandLine().getOut();
        try (remote;
                var mount = remote.mount(place)) {
            var located = mount.locate(place.path(), true);
            out.println(place);
            if (located.attributes().isDirectory()) {
                show(mount, located.handle(), place.path(), "", out);
            }
        }
        out.printf("%d folders, %d files%n", folders, files);
        leftOut.requireNone();
        return CommandLine.ExitCode.OK;
    }

    private static String text(PathName link) {
        return link.isUtf8() ? link.toString() : link.escaped();
    }

    private void show(
            NfsMount mount, FileHandle folder, String path, String indent, PrintWriter out)
            throws IOException, InterruptedException {
        var names =
                mount.list(folder, path, leftOut).stream()
                        .sorted(Comparator.comparing(Named::name))
                        .toList();
        for (int i = 0; i < names.size(); i++) {
            var each = names.get(i);
            boolean last = i == names.size() - 1;
            var link =
                    each.attributes().type() == FileType.SYMBOLIC_LINK
                            ? " -> "
                                    + text(
                                            mount.client()
                                                    .readLink(
                                                            each.handle(),
                                                            "cannot read the link " + each.name()))
                            : "";
            out.println(indent + (last ? "└── " : "├── ") + each.name() + link);
            if (each.attributes().isDirectory()) {
                folders++;
                show(
                        mount,
                        each.handle(),
                        path + "/" + each.name(),
                        indent + (last ? "    " : "│   "),
                        out);
            } else {
                files++;
            }
        }
    }
}
