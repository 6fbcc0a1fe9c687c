package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.pattern.NamePattern;
import io.github.rpcrdma4j.cli.terminal.FileLine;
import io.github.rpcrdma4j.cli.terminal.SizeText;
import io.github.rpcrdma4j.cli.terminal.TimeText;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.TreeWalk;
import io.github.rpcrdma4j.nfs.client.TreeWalk.Visit;
import io.github.rpcrdma4j.nfs.client.copy.TemporaryName;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Finds files in trees of servers.
 *
 * <p>Tests: {@code FileCommandsTest}.
 */
@Command(
        name = "find",
        description = {
            "Print the URLs of files below a directory on a server that meet all conditions.",
            "Links are not followed. On a terminal URLs are quoted as a shell wants them."
        },
        footer = {
            "",
            "Example: rpcrdma find --type f --name '*.log' --older 30d rdma://server/export",
            "Removed: rpcrdma find -0 --name '*.tmp' rdma://server/export | xargs -0 rpcrdma rm"
        })
public final class Find extends FilesCommand {
    @Option(
            names = "--name",
            paramLabel = "PATTERN",
            description =
                    "The name matches: * stands for any characters, ? for one, [a-z] for one of"
                            + " them. Several: one of them matches.")
    private List<String> names = List.of();

    @Option(
            names = "--type",
            paramLabel = "f|d|l|p|s|b|c",
            description =
                    "A file, directory, link, FIFO (p), socket, block or character device; several"
                            + " letters: one of them.")
    private String types;

    @Option(
            names = "--size",
            paramLabel = "[+|-]SIZE",
            description = "A regular file with more (+), less (-) or exactly these bytes: +10M.")
    private String size;

    @Option(
            names = "--newer",
            paramLabel = "TIME",
            description = "Modified after this time: " + TimeText.FORMS + ".")
    private String newer;

    @Option(names = "--older", paramLabel = "TIME", description = "Modified before this time.")
    private String older;

    @Option(
            names = "--max-depth",
            paramLabel = "N",
            description = "Go down at most this many levels below the URL.")
    private Integer depthMax;

    @Option(names = "-a", description = "Also find incomplete copies.")
    private boolean all;

    @Option(
            names = {"-0", "--print0"},
            description = "End each URL with a zero byte, for xargs -0.")
    private boolean zeros;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    private final List<Predicate<Visit>> conditions = new ArrayList<>();
    private DepthLimit limit;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void prepare() {
        limit = new DepthLimit(depthMax);
        if (zeros && output.isJson()) {
            throw new IllegalArgumentException("--json and -0 exclude each other");
        }
        if (!all) {
            conditions.add(visit -> !TemporaryName.is(visit.file().name()));
        }
        if (!names.isEmpty()) {
            var patterns = names.stream().map(NamePattern::parse).toList();
            conditions.add(
                    visit -> patterns.stream().anyMatch(each -> each.matches(visit.file().name())));
        }
        if (types != null) {
            if (!types.matches("[fdlpsbc]+")) {
                throw new IllegalArgumentException("--type is of f, d, l, p, s, b and c");
            }
            require(file -> types.indexOf(letter(file.type())) >= 0);
        }
        if (size != null) {
            addSize();
        }
        if (newer != null) {
            var time = TimeText.parse(newer);
            require(file -> file.modified().isAfter(time));
        }
        if (older != null) {
            var time = TimeText.parse(older);
            require(file -> file.modified().isBefore(time));
        }
    }

    private void require(Predicate<FileAttributes> condition) {
        conditions.add(visit -> condition.test(visit.file().attributes()));
    }

    private void addSize() {
        boolean isSigned = size.startsWith("+") || size.startsWith("-");
        long bytes = SizeText.parse(isSigned ? size.substring(1) : size);
        require(
                file -> {
                    int order = Long.compareUnsigned(file.size(), bytes);
                    return file.type() == FileType.REGULAR
                            && switch (size.charAt(0)) {
                                case '+' -> order > 0;
                                case '-' -> order < 0;
                                default -> order == 0;
                            };
                });
    }

    private static char letter(FileType type) {
        return switch (type) {
            case REGULAR -> 'f';
            case DIRECTORY -> 'd';
            case BLOCK_DEVICE -> 'b';
            case CHARACTER_DEVICE -> 'c';
            case SYMBOLIC_LINK -> 'l';
            case SOCKET -> 's';
            case FIFO -> 'p';
        };
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var top = resolve(mount, url, url.isDirectory(), "cannot list");
        var visitor =
                new TreeWalk.Visitor() {
                    @Override
                    public void visit(Visit visit) throws IOException, InterruptedException {
                        if (conditions.stream().allMatch(each -> each.test(visit))) {
                            show(mount, url, visit);
                        }
                    }

                    @Override
                    public boolean enters(Visit directory) {
                        return limit.includes(directory.depth() + 1);
                    }

                    @Override
                    public void failed(Visit directory, IOException why) {
                        output.failed(why);
                    }
                };
        TreeWalk.walk(mount, remote.options(), top, url.path(), visitor);
    }

    private void show(NfsMount mount, NfsUrl url, Visit visit)
            throws IOException, InterruptedException {
        var path = visit.path();
        if (output.isJson()) {
            var text = new LinkTexts(output).of(mount, visit.file(), visit::shown);
            var name = RawText.of(path.bytes());
            output.element(FileLine.json(name, visit.file(), text));
            return;
        }
        var found = url.withPath(path, false).toString();
        output.text(zeros ? found + "\0" : output.names().of(found) + "\n");
    }
}
