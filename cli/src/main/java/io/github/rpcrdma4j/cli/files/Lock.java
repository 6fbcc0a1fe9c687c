package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.terminal.Output;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a command while a file on a server is locked, as flock(1) does. */
@Command(
        name = "lock",
        description = {
            "Lock a file on a server while a command runs; make the file if there is none.",
            "The command ends with SIGTERM if the server loses the lock, and this command fails."
        },
        footer = {"", "Example: rpcrdma lock rdma://server/export/lock -- make install"})
public final class Lock implements Callable<Integer> {
    private static final int NEW_FILE = 0666;

    /** What env(1) and shells return for a command that cannot be started. */
    private static final int NOT_STARTED = 127;

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    /** How long the command may take to end, after that of this one was asked for. */
    private static final long FAREWELL_SECONDS = 5;

    @Option(
            names = {"-s", "--shared"},
            description = "Share the lock with others that share it; exclude those that do not.")
    private boolean isShared;

    @Option(
            names = {"-x", "-e", "--exclusive"},
            description = "Exclude all others. This is the default.")
    private boolean isExclusive;

    @Option(
            names = {"-n", "--nonblock", "--nb"},
            description = "Fail rather than wait for the lock.")
    private boolean isImpatient;

    @Option(
            names = {"-w", "--timeout", "--wait"},
            paramLabel = "SECONDS",
            description = "Fail if the lock is not free after this time, such as 2.5.")
    private Double seconds;

    @Option(
            names = {"-E", "--conflict-exit-code"},
            paramLabel = "CODE",
            defaultValue = "1",
            description = "Exit with this code if the lock is not free (${DEFAULT-VALUE}).")
    private int conflictCode;

    @Parameters(
            index = "0",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private String url;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments.")
    private List<String> command;

    @Mixin private final Output output = new Output();
    @Mixin private final Remote remote = new Remote();

    /** What follows the URL belongs to the command. */
    @Spec
    void setSpec(CommandSpec spec) {
        spec.parser().stopAtPositional(true);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isShared && isExclusive) {
            throw new IllegalArgumentException("a lock is either shared or exclusive");
        }
        if (conflictCode < 0 || conflictCode > 255) {
            throw new IllegalArgumentException("an exit code is 0 to 255, not " + conflictCode);
        }
        if (seconds != null && !(seconds >= 0)) {
            throw new IllegalArgumentException("--timeout must not be negative");
        }
        var words = command.getFirst().equals("--") ? command.subList(1, command.size()) : command;
        if (words.isEmpty()) {
            throw new IllegalArgumentException("a command is missing behind --");
        }
        remote.setUsualVersions(List.of(NfsVersion.VERSION_4_2, NfsVersion.VERSION_4_1));
        var place = NfsUrl.parse(url);
        try (remote;
                var mount = remote.mount(place);
                var file = open(mount, place)) {
            var service = mount.service();
            boolean isLocked =
                    service.lock(
                            file, LockRange.ALL, !isShared, patience(), "cannot lock " + place);
            if (!isLocked) {
                output.err().println("cannot lock " + place + ": another has locked it");
                return conflictCode;
            }
            return run(file, words, place);
        }
    }

    private Duration patience() {
        if (isImpatient) {
            return Duration.ZERO;
        }
        return seconds == null
                ? FOREVER
                : Duration.ofNanos((long) Math.min(Long.MAX_VALUE, seconds * 1e9));
    }

    private OpenFile open(NfsMount mount, NfsUrl place) throws IOException, InterruptedException {
        var what = "cannot open " + place;
        var mode = isShared ? OpenFile.Mode.READ : OpenFile.Mode.BOTH;
        return mount.service().open(fileOf(mount, place), mode, what);
    }

    private static FileHandle fileOf(NfsMount mount, NfsUrl place)
            throws IOException, InterruptedException {
        var found = mount.target(place.path()).file();
        if (found.isPresent()) {
            FilesCommand.requireDirectory(place, found.get(), "cannot lock");
            return found.get().handle();
        }
        if (place.isDirectory()) {
            throw new NfsException("cannot lock " + place, Status.NOENT);
        }
        return mount.makeFile(place.path(), NEW_FILE & ~Umask.current()).handle();
    }

    private int run(OpenFile file, List<String> words, NfsUrl place)
            throws IOException, InterruptedException {
        Process running;
        try {
            running = new ProcessBuilder(words).inheritIO().start();
        } catch (IOException failure) {
            output.err().println("cannot start the command: " + failure.getMessage());
            return NOT_STARTED;
        }
        var isLost = new AtomicBoolean();
        file.whenLockLost(
                () -> {
                    isLost.set(true);
                    running.destroy();
                });
        var done = new CountDownLatch(1);
        var ending = Thread.ofPlatform().unstarted(() -> end(running, done));
        Runtime.getRuntime().addShutdownHook(ending);
        try {
            int code = running.waitFor();
            if (isLost.get()) {
                throw new LockLostException(
                        "cannot let the command go on",
                        "the server has forgotten it, or an administrator ended it: " + place);
            }
            return code;
        } finally {
            running.destroy();
            done.countDown();
            removeHook(ending);
        }
    }

    /** When this process is ended, the command ends first: its lock would end before it. */
    private static void end(Process running, CountDownLatch done) {
        running.destroy();
        try {
            done.await(FAREWELL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeHook(Thread ending) {
        try {
            Runtime.getRuntime().removeShutdownHook(ending);
        } catch (IllegalStateException _) {
            // This process ends already.
        }
    }
}
