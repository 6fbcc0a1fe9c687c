package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.NameMemory;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsMount.Named;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.TemporaryName;
import io.github.rpcrdma4j.nfs.client.Way;
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

/** Shows a folder with all that is below it. */
@Command(
        name = "tree",
        description = {
            "Show a folder on a server with all that is below it.",
            "What cannot be looked into is named, and the rest is shown."
        },
        footer = {"", "Example: rpcrdma tree rdma://server/export"})
final class Tree extends MountCommand {
    private final QuotedName shown = new QuotedName(Terminal.isOutput());
    private final ArrayDeque<Folder> open = new ArrayDeque<>();
    private final NameMemory memory = new NameMemory();
    private LinkTexts links;
    private long folders;
    private long files;
    private long failures;

    /**
     * A folder that is being shown.
     *
     * @param isLast whether nothing comes after it in the folder above
     * @param memory that its names take
     */
    private record Folder(Iterator<Named> rest, Way way, boolean isLast, NameMemory.Share memory) {}

    @Override
    int run(NfsMount mount, NfsUrl place) throws IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var located = mount.locate(place.path(), true);
        if (place.isFolder() && !located.attributes().isDirectory()) {
            throw new NfsException("cannot list " + place, Status.NOTDIR);
        }
        links = new LinkTexts(spec.commandLine().getErr());
        out.println(place);
        if (located.attributes().isDirectory()) {
            enter(mount, located.handle(), place.path().escaped(), null, true);
        }
        while (!open.isEmpty()) {
            next(mount, out);
        }
        failures += links.failures();
        out.printf("%s, %s%n", Count.words(folders, "folder"), Count.words(files, "file"));
        return failures == 0 ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private void enter(NfsMount mount, FileHandle folder, String name, Way above, boolean isLast)
            throws IOException, InterruptedException {
        var way = new Way(folder, name, above);
        var share = memory.share();
        try {
            var path = way.path();
            Way.requireNew(above, folder, path);
            var names =
                    mount.list(folder, path, share).stream()
                            .filter(each -> !TemporaryName.is(each.name()))
                            .sorted(Comparator.comparing(each -> RawText.of(each.name().bytes())))
                            .iterator();
            open.push(new Folder(names, way, isLast, share));
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException ofOne) {
            share.close();
            failures++;
            spec.commandLine().getErr().println("rpcrdma: " + Rpcrdma.oneLine(ofOne));
        }
    }

    private void next(NfsMount mount, PrintWriter out) throws IOException, InterruptedException {
        var folder = open.getFirst();
        if (!folder.rest.hasNext()) {
            open.pop().memory.close();
            return;
        }
        var file = folder.rest.next();
        boolean last = !folder.rest.hasNext();
        printIndent(out);
        out.println((last ? "└── " : "├── ") + line(mount, folder.way, file));
        if (file.attributes().isDirectory()) {
            folders++;
            enter(mount, file.handle(), file.name().escaped(), folder.way, last);
        } else {
            files++;
        }
    }

    /** The folders keep none, as deep trees have long ones. */
    private void printIndent(PrintWriter out) {
        var indent = new StringBuilder();
        var folders = open.descendingIterator();
        folders.next();
        folders.forEachRemaining(each -> indent.append(each.isLast ? "    " : "│   "));
        out.print(indent);
    }

    private String line(NfsMount mount, Way way, Named file)
            throws IOException, InterruptedException {
        var name = shown.of(file.name());
        return links.of(mount, file, () -> Way.path(way, file.name().escaped()))
                .map(text -> name + " -> " + shown.of(text))
                .orElse(name);
    }
}
