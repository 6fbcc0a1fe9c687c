package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.NameMemory;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsMount.NamedFile;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.ParentDirectories;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.TemporaryName;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Iterator;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Shows a directory with everything below it. */
@Command(
        name = "tree",
        description = {
            "Show a directory on a server with all that is below it.",
            "Directories that cannot be listed are reported; the rest is shown."
        },
        footer = {"", "Example: rpcrdma tree rdma://server/export"})
final class Tree extends MountCommand {
    private final QuotedName shown = new QuotedName(Terminal.isOutput());
    private final ArrayDeque<Directory> open = new ArrayDeque<>();
    private final NameMemory memory = new NameMemory();
    private LinkTexts links;
    private long directories;
    private long files;
    private long failures;

    /**
     * A directory that is being shown.
     *
     * @param parents the directories that lead to its entries, itself included
     * @param isLast whether it is the last entry of the directory above
     * @param memory accounts for its names
     */
    private record Directory(
            Iterator<NamedFile> rest,
            ParentDirectories parents,
            boolean isLast,
            NameMemory.Share memory) {}

    @Override
    int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var file = mount.resolve(url.path(), true);
        if (url.isDirectory() && !file.attributes().isDirectory()) {
            throw new NfsException("cannot list " + url, Status.NOTDIR);
        }
        links = new LinkTexts(spec.commandLine().getErr());
        out.println(url);
        if (file.attributes().isDirectory()) {
            enter(mount, file.handle(), url.path().escaped(), null, true);
        }
        while (!open.isEmpty()) {
            next(mount, out);
        }
        failures += links.failures();
        out.printf("%s, %s%n", Count.words(directories, "directory"), Count.words(files, "file"));
        return failures == 0 ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private void enter(
            NfsMount mount,
            FileHandle directory,
            String name,
            ParentDirectories above,
            boolean isLast)
            throws IOException, InterruptedException {
        var parents = new ParentDirectories(directory, name, above);
        var share = memory.share();
        try {
            var path = parents.path();
            ParentDirectories.requireNoCycle(above, directory, path);
            var names =
                    mount.list(directory, path, share).stream()
                            .filter(each -> !TemporaryName.is(each.name()))
                            .sorted(Comparator.comparing(each -> RawText.of(each.name().bytes())))
                            .iterator();
            open.push(new Directory(names, parents, isLast, share));
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException ofOne) {
            share.close();
            failures++;
            spec.commandLine().getErr().println("rpcrdma: " + Rpcrdma.oneLine(ofOne));
        }
    }

    private void next(NfsMount mount, PrintWriter out) throws IOException, InterruptedException {
        var directory = open.getFirst();
        if (!directory.rest.hasNext()) {
            open.pop().memory.close();
            return;
        }
        var file = directory.rest.next();
        boolean last = !directory.rest.hasNext();
        printIndent(out);
        out.println((last ? "└── " : "├── ") + line(mount, directory.parents, file));
        if (file.attributes().isDirectory()) {
            directories++;
            enter(mount, file.handle(), file.name().escaped(), directory.parents, last);
        } else {
            files++;
        }
    }

    /**
     * Prints the indentation of a line. Directories do not store theirs, which would be long in
     * deep trees.
     */
    private void printIndent(PrintWriter out) {
        var indent = new StringBuilder();
        var directories = open.descendingIterator();
        directories.next();
        directories.forEachRemaining(each -> indent.append(each.isLast ? "    " : "│   "));
        out.print(indent);
    }

    private String line(NfsMount mount, ParentDirectories parents, NamedFile file)
            throws IOException, InterruptedException {
        var name = shown.of(file.name());
        return links.of(mount, file, () -> ParentDirectories.path(parents, file.name().escaped()))
                .map(text -> name + " -> " + shown.of(text))
                .orElse(name);
    }
}
