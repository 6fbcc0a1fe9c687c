package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.cli.terminal.FileLine;
import io.github.rpcrdma4j.cli.terminal.Output;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.TreeWalk;
import io.github.rpcrdma4j.nfs.client.TreeWalk.Visit;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Shows how much storage files take.
 *
 * <p>Tests: {@code FileCommandsTest}.
 */
@Command(
        name = "du",
        description = {
            "Show how much storage directories on a server take, with all below them.",
            "A file with several names counts once. Directories that cannot be listed are",
            "reported."
        },
        footer = {"", "Example: rpcrdma du -sh rdma://server/export/directory"})
public final class Du extends FilesCommand {
    @Option(
            names = {"-s", "--summarize"},
            description = "Show a total for each URL alone.")
    private boolean summarizes;

    @Option(
            names = {"-a", "--all"},
            description = "Show files too, not only directories.")
    private boolean all;

    @Option(
            names = {"-d", "--max-depth"},
            paramLabel = "N",
            description = "Show directories down to this many levels below the URL.")
    private Integer depthMax;

    @Option(
            names = {"-b", "--apparent-size"},
            description = "Count the sizes of files, not the storage that they take.")
    private boolean apparent;

    @Option(names = "-h", description = "Show sizes with units, such as 1.5G.")
    private boolean unitsForSizes;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    private DepthLimit limit;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void prepare() {
        if (summarizes && (all || depthMax != null)) {
            throw new IllegalArgumentException("-s shows totals alone: leave out -a and -d");
        }
        limit = new DepthLimit(depthMax);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var top = resolve(mount, url, url.isDirectory(), "cannot list");
        TreeWalk.walk(mount, remote.options(), top, url.path(), new Totals(output));
    }

    /** Adds up a tree. */
    private final class Totals implements TreeWalk.Visitor {
        private final Output output;

        /** The totals of the directories that the walk is in. A server may report any sizes. */
        private final ArrayDeque<BigInteger> open = new ArrayDeque<>();

        private final Set<FileIdentity> counted = new HashSet<>();

        Totals(Output output) {
            this.output = output;
        }

        @Override
        public void visit(Visit visit) {
            var file = visit.file().attributes();
            var size = FileLine.unsigned(apparent ? file.size() : file.used());
            if (file.isDirectory()) {
                open.push(size);
            } else if (isNew(file)) {
                add(size);
                if (all || visit.depth() == 0) {
                    show(visit, size);
                }
            }
        }

        /** Returns whether a file was not counted under another name. */
        private boolean isNew(FileAttributes file) {
            return Integer.compareUnsigned(file.links(), 1) <= 0
                    || counted.add(FileIdentity.of(file));
        }

        private void add(BigInteger size) {
            if (!open.isEmpty()) {
                open.push(open.pop().add(size));
            }
        }

        @Override
        public void left(Visit directory) {
            var total = open.pop();
            add(total);
            if (!summarizes || directory.depth() == 0) {
                show(directory, total);
            }
        }

        private void show(Visit visit, BigInteger size) {
            if (!limit.includes(visit.depth())) {
                return;
            }
            var path = visit.path();
            if (output.isJson()) {
                var json = new LinkedHashMap<String, Object>();
                json.put("path", RawText.of(path.bytes()));
                json.put("bytes", size);
                output.element(json);
                return;
            }
            var shown = unitsForSizes ? ByteCount.column(size) : size.toString();
            output.line("%-12s %s".formatted(shown, output.names().of(path)));
        }

        @Override
        public void failed(Visit directory, IOException why) {
            output.failed(why);
        }
    }
}
