package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Mounts;
import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.cli.terminal.FileLine;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the free space of exports. */
@Command(
        name = "df",
        description = {
            "Show the space of the file systems that a server exports.",
            "A URL without a path stands for all exports of the server."
        },
        footer = {"", "Example: rpcrdma df -h rdma://server/"})
public final class Df extends FilesCommand {
    private static final PathName TOP = PathName.of("/");
    private static final double PERCENT = 100;

    @Option(names = "-h", description = "Show sizes with units, such as 1.5G.")
    private boolean unitsForSizes;

    @Option(
            names = {"-i", "--inodes"},
            description = "Show numbers of files in place of bytes.")
    private boolean files;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/, or with /export/path; nfs:// over TCP")
    private List<String> urls;

    private boolean hasHeading;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void run(Mounts mounts, NfsUrl url) throws IOException, InterruptedException {
        var exports = url.path().equals(TOP) ? exports(url) : List.<PathName>of();
        // Only an export named "/" can be named by this path.
        if (!url.path().equals(TOP) || exports.contains(TOP)) {
            run(mounts.of(url), url);
            return;
        }
        for (var export : exports) {
            var each = url.withPath(export, false);
            try {
                run(mounts.of(each), each);
            } catch (RpcException ofAll) {
                throw ofAll;
            } catch (IOException ofOne) {
                output.failed(ofOne);
            }
        }
    }

    private List<PathName> exports(NfsUrl url) throws IOException, InterruptedException {
        try (var service = remote.service(url)) {
            return service.exports().stream().map(each -> each.path()).toList();
        }
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var file = resolve(mount, url, true, "cannot find");
        var space = mount.space(file.handle());
        if (output.isJson()) {
            output.element(json(url.path(), space));
            return;
        }
        if (!hasHeading) {
            var kind = files ? "Files" : "Size";
            output.line(format(kind, "Used", "Available", "Use%", "Path"));
            hasHeading = true;
        }
        long total = files ? space.totalFiles() : space.totalBytes();
        long free = files ? space.freeFiles() : space.freeBytes();
        long available = files ? space.availableFiles() : space.availableBytes();
        output.line(
                format(
                        number(total),
                        number(total - free),
                        number(available),
                        used(total - free, available),
                        output.names().of(url.path())));
    }

    private static String format(String size, String used, String free, String part, String path) {
        return "%16s %16s %16s %5s %s".formatted(size, used, free, part, path);
    }

    /** Returns the used part of what ordinary users can use, rounded up, as df does. */
    private static String used(long used, long available) {
        double all = unsigned(used) + unsigned(available);
        return all == 0
                ? "-"
                : String.format(Locale.ROOT, "%.0f%%", Math.ceil(PERCENT * unsigned(used) / all));
    }

    private static double unsigned(long number) {
        return FileLine.unsigned(number).doubleValue();
    }

    private String number(long number) {
        var whole = FileLine.unsigned(number);
        return unitsForSizes && !files ? ByteCount.column(whole) : whole.toString();
    }

    private static LinkedHashMap<String, Object> json(PathName path, SpaceStatus space) {
        var json = new LinkedHashMap<String, Object>();
        json.put("path", RawText.of(path.bytes()));
        json.put("totalBytes", FileLine.unsigned(space.totalBytes()));
        json.put("freeBytes", FileLine.unsigned(space.freeBytes()));
        json.put("availableBytes", FileLine.unsigned(space.availableBytes()));
        json.put("totalFiles", FileLine.unsigned(space.totalFiles()));
        json.put("freeFiles", FileLine.unsigned(space.freeFiles()));
        json.put("availableFiles", FileLine.unsigned(space.availableFiles()));
        return json;
    }
}
