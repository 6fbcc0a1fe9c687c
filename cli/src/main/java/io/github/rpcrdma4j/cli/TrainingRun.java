package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.terminal.RawArguments;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * Runs the common commands against a server in this process. Java records an AOT cache meanwhile,
 * if its option {@code -XX:AOTCacheOutput} says so: the classes that the commands load, and the
 * profiles of their methods (JEP 483, 514, 515).
 */
final class TrainingRun {
    private static final int LARGE_BYTES = 32 << 20;
    private static final int SMALL_FILES = 20;
    private static final Pattern URL = Pattern.compile("rpcrdma ls (rdma://\\S+)");

    private final Path directory;
    private final PrintWriter discarded = new PrintWriter(PrintWriter.nullWriter());

    private TrainingRun(Path directory) {
        this.directory = directory;
    }

    /**
     * Runs the commands, and ends the process with 0 if all succeeded.
     *
     * @param args a directory for the files of the run, which may be empty, and which stays. The
     *     environment should name it as {@code XDG_STATE_HOME}.
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        // As the commands themselves read their arguments.
        var directory = RawArguments.path(RawArguments.of(args)[0]);
        boolean isComplete = new TrainingRun(directory).run();
        System.exit(isComplete ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE);
    }

    private boolean run() throws IOException, InterruptedException {
        var exported = Files.createDirectory(directory.resolve("exported"));
        var source = Files.createDirectory(directory.resolve("source"));
        Files.write(source.resolve("large"), new byte[LARGE_BYTES]);
        for (int i = 0; i < SMALL_FILES; i++) {
            Files.writeString(source.resolve("small" + i), "text " + i);
        }
        var url = serve(exported);
        return List.of(
                        List.of("--help"),
                        List.of("--version"),
                        List.of("put", "--help"),
                        List.of("put", "-rp", source.toString(), url),
                        List.of("get", "-rp", url + "/source", directory + "/copy"),
                        List.of("put", source + "/large", url),
                        List.of("get", url + "/large", directory + "/large"),
                        List.of("ls", url),
                        List.of("ls", "-l", url + "/source"),
                        List.of("ls", "--json", url + "/source"),
                        List.of("ls", url.substring(0, url.lastIndexOf('/') + 1)),
                        List.of("stat", url + "/large"),
                        List.of("tree", url),
                        List.of("find", "--name", "small*", url),
                        List.of("du", "-s", url),
                        List.of("df", url),
                        List.of("sync", source.toString(), url),
                        List.of("cat", url + "/source/small1"),
                        List.of("ping", "-c", "3", url),
                        List.of("mkdir", url + "/made"),
                        List.of("mv", url + "/large", url + "/made/moved"),
                        List.of("rm", url + "/made/moved"),
                        List.of("rm", "-r", url + "/source"))
                .stream()
                .allMatch(this::succeeds);
    }

    private boolean succeeds(List<String> arguments) {
        var words = arguments.toArray(String[]::new);
        return Rpcrdma.commandLine(words).setOut(discarded).execute(words)
                == CommandLine.ExitCode.OK;
    }

    /** Starts the command that serves, which ends with the process; returns the export's URL. */
    private static String serve(Path exported) throws InterruptedException {
        var started = new CountDownLatch(1);
        var printed = new StringWriter();
        var out =
                new PrintWriter(printed) {
                    @Override
                    public void flush() {
                        started.countDown();
                    }
                };
        var command =
                List.of(
                        "serve",
                        exported.toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--allow",
                        "any,no_root_squash");
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                Rpcrdma.commandLine()
                                        .setOut(out)
                                        .execute(command.toArray(String[]::new));
                            } finally {
                                started.countDown();
                            }
                        });
        started.await();
        var url = URL.matcher(printed.toString());
        if (!url.find()) {
            throw new IllegalStateException("the server did not start: " + printed);
        }
        return url.group(1);
    }
}
