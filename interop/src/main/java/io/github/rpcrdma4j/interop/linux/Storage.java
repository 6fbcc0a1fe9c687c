package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that tests our server with failing storage and power cuts. */
@Command(
        name = "interop/storage",
        mixinStandardHelpOptions = true,
        description = {
            "Test whether data that our server reported as stable survives disk errors and power"
                    + " cuts.",
            ""
        },
        footer = {
            "",
            "Prints a line for each check, and ends with 1 if one fails. Disks and logs stay in"
                    + " interop/target/storage."
        })
final class Storage extends GuestCommand {
    /** The kind of test. */
    enum TestKind {
        ERRORS,
        STOPS,
        KILLS,
        CALLS
    }

    @Parameters(
            paramLabel = "errors|stops|kills|calls",
            description = {
                "errors: a disk of a guest fails to write some blocks for a while.",
                "stops: a guest stops after each change; a copy of its disk has what was answered.",
                "kills: guests are killed after some changes; so has the disk.",
                "calls: the system calls that bring changes to storage, by strace on this machine."
            })
    private TestKind kind;

    @Option(names = "--async", description = "With stops and kills: with async. Some is lost then.")
    private boolean async;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Of stops: how often each kind of change is made (3).")
    private int rounds = 3;

    @Option(names = "--boots", paramLabel = "N", description = "Of kills: how many guests (21).")
    private int boots = 21;

    @Option(names = "--seed", paramLabel = "N", description = "Of the changes; printed.")
    private long seed = System.nanoTime();

    public static void main(String... arguments) {
        new Storage().run(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var directory = Files.createDirectories(home.resolve("interop/target/storage"));
        var directories = directories();
        var jdk = Path.of(System.getProperty("java.home"));
        var name = kind.name().toLowerCase(Locale.ROOT);
        var logs = directory.resolve(name);
        var disks = Files.createDirectories(directory.resolve(name + "-disk"));
        print("NOTE seed " + seed);
        var cuts =
                new PowerCuts(directories, logs, jdk, async ? "async" : "sync", seed, this::print);
        boolean passed =
                switch (kind) {
                    case ERRORS ->
                            new FailingDisk(directories, logs, jdk, seed, this::print)
                                    .run(DiskImage.in(disks, DiskImage.FileSystem.EXT4).file());
                    case STOPS -> cuts.stops(disks, rounds);
                    case KILLS -> cuts.kills(disks, boots);
                    case CALLS ->
                            new SyncCalls(directories, Files.createDirectories(logs), this::print)
                                    .run();
                };
        return passed ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private void print(String line) {
        var out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
