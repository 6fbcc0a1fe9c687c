package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Mounts;
import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.connect.UrlPattern;
import io.github.rpcrdma4j.cli.terminal.FileLine;
import io.github.rpcrdma4j.cli.terminal.Output;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.copy.IncompleteTreeException;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/**
 * A command on several files of servers, which are named by URLs. If one fails, it is reported, and
 * the command goes on with the next. If a server is lost, it goes on with those of other servers.
 *
 * <p>Tests: {@code FileCommandsTest}, {@code HabitsTest}.
 */
abstract class FilesCommand implements Callable<Integer> {
    @Mixin final Output output = new Output();
    @Mixin final Remote remote = new Remote();
    @CommandLine.Spec CommandLine.Model.CommandSpec spec;

    /** Returns the URLs that the user gave. */
    abstract List<String> urls();

    /** Returns whether names in the URLs may be patterns of existing files. */
    boolean takesPatterns() {
        return true;
    }

    /** Returns whether it is no failure if a pattern matches no file. */
    boolean allowsNoMatch() {
        return false;
    }

    /** Learns which files the command works on, of those of one URL that the user gave. */
    void matched(List<NfsUrl> urls) throws IOException, InterruptedException {}

    /**
     * Checks the options before any connection is made.
     *
     * @throws IllegalArgumentException if they make no sense; the message tells a user why
     */
    void prepare() throws IOException {}

    /** Runs the command on one file. */
    abstract void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException;

    /** Ends the output, after all files. */
    void end() {
        if (output.isJson()) {
            output.endList();
        }
    }

    @Override
    public final Integer call() throws Exception {
        prepare();
        var parsed =
                urls().stream()
                        .map(
                                each ->
                                        takesPatterns()
                                                ? UrlPattern.parse(each)
                                                : UrlPattern.of(NfsUrl.parse(each)))
                        .toList();
        try (remote;
                var mounts = new Mounts(remote)) {
            runAll(mounts, parsed);
            end();
        } finally {
            output.endEarly();
        }
        return output.hasFailures() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private void runAll(Mounts mounts, List<UrlPattern> patterns)
            throws IOException, InterruptedException {
        boolean isOneServer =
                patterns.stream().map(each -> server(each.url())).distinct().count() == 1;
        var lost = new HashSet<String>();
        for (var pattern : patterns) {
            var server = server(pattern.url());
            if (lost.contains(server)) {
                output.failed(
                        new IOException(pattern.url() + ": not tried, because its server is lost"));
                continue;
            }
            try {
                runAll(mounts, pattern, patterns.size() == 1);
            } catch (RpcException ofServer) {
                if (isOneServer) {
                    throw ofServer;
                }
                output.failed(ofServer);
                lost.add(server);
            }
        }
    }

    /**
     * Runs the command on the files of one URL that the user gave.
     *
     * @param isOnly whether the user gave no other one
     */
    private void runAll(Mounts mounts, UrlPattern pattern, boolean isOnly)
            throws IOException, InterruptedException {
        var urls = List.<NfsUrl>of();
        try {
            urls = pattern.expand(mounts, output::failed);
            matched(urls);
        } catch (UrlPattern.NoMatchException none) {
            if (!allowsNoMatch()) {
                failed(none, isOnly);
            }
        } catch (IOException ofOne) {
            failed(ofOne, isOnly);
        }
        for (var url : urls) {
            try {
                run(mounts, url);
            } catch (IncompleteTreeException reported) {
                output.countFailures(reported.failures());
            } catch (IOException ofOne) {
                failed(ofOne, isOnly && urls.size() == 1);
            }
        }
    }

    private void failed(IOException failure, boolean isOnly) throws IOException {
        if (isOnly || failure instanceof RpcException) {
            throw failure;
        }
        output.failed(failure);
    }

    private static String server(NfsUrl url) {
        return url.server().toString();
    }

    /** Runs the command on one file of a server that may have to be mounted first. */
    void run(Mounts mounts, NfsUrl url) throws IOException, InterruptedException {
        run(mounts.of(url), url);
    }

    /**
     * Returns the file of a URL. A slash at its end requires a directory.
     *
     * @param follows whether a link at the end of the path is followed even without a slash
     * @param what for messages: {@code "cannot change"}
     */
    static RemoteFile resolve(NfsMount mount, NfsUrl url, boolean follows, String what)
            throws IOException, InterruptedException {
        var file = mount.resolve(url.path(), follows || url.isDirectory());
        requireDirectory(url, file, what);
        return file;
    }

    /** Refuses a file that is no directory if a slash at the end of its URL says that it is. */
    static void requireDirectory(NfsUrl url, RemoteFile file, String what) throws NfsException {
        if (url.isDirectory() && !file.attributes().isDirectory()) {
            throw new NfsException(what + " " + url, Status.NOTDIR);
        }
    }

    /** Adds the file to the output as it is after a change, if the user wants JSON. */
    final void changed(NfsMount mount, PathName path) throws IOException, InterruptedException {
        if (output.isJson()) {
            var file = mount.resolve(path);
            var text =
                    file.attributes().type() == FileType.SYMBOLIC_LINK
                            ? Optional.of(
                                    mount.service().readLink(file.handle(), "cannot read the link"))
                            : Optional.<PathName>empty();
            output.element(FileLine.json(RawText.of(path.bytes()), file.attributes(), text));
        }
    }
}
