package io.github.rpcrdma4j.interop.linux;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A Linux guest under emulation.
 *
 * <p>Its first serial line is its console, which goes to a file. On the second line it receives the
 * names of scripts to run and returns their output. It shares a directory with the host.
 */
final class Guest implements AutoCloseable {
    private static final int CONSOLE_LINES = 40;
    private static final Duration OFF_LIMIT = Duration.ofSeconds(20);

    /** The marker that the reader thread adds after the last line. */
    private static final String END = "\0end";

    private final Process process;
    private final Path console;
    private final Writer input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private int scripts;

    /** Handles requests of a script to the host. */
    interface RequestHandler {
        void handle(String request) throws IOException, InterruptedException;
    }

    /** The exit status and the output of a script. */
    record Ended(int status, List<String> printed) {}

    private Guest(Process process, Path console) {
        this.process = process;
        this.console = console;
        input = process.outputWriter(StandardCharsets.UTF_8);
        // No virtual thread: one of these has begun two minutes late, when the start was given up.
        Thread.ofPlatform().daemon().start(() -> pump(process.inputReader(StandardCharsets.UTF_8)));
    }

    /**
     * Boots a guest and waits until it takes scripts. Boots it a second time if the kernel dies or
     * hangs before its first process runs.
     *
     * @param notes receives a note if there was a second boot
     * @throws GuestException if the second boot fails too
     */
    static Guest boot(Machine machine, List<String> notes)
            throws IOException, InterruptedException, GuestException {
        machine.prepare();
        try {
            return bootOnce(machine);
        } catch (GuestException died) {
            notes.add("the guest's kernel died or hung before init ran; booted it a second time");
            return bootOnce(machine);
        }
    }

    private static Guest bootOnce(Machine machine)
            throws IOException, InterruptedException, GuestException {
        Files.deleteIfExists(machine.console());
        var process =
                new ProcessBuilder(machine.command())
                        .redirectError(machine.logs().resolve("emulator.log").toFile())
                        .start();
        // The emulator does not end by itself when this process ends.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        var guest = new Guest(process, machine.console());
        try {
            var line = guest.line(machine.bootLimit(), "its boot");
            while (!line.startsWith("ready ")) {
                line = guest.line(machine.bootLimit(), "its boot");
            }
            return guest;
        } catch (GuestException | InterruptedException failed) {
            guest.process.destroyForcibly().waitFor();
            throw failed;
        }
    }

    private void pump(BufferedReader from) {
        try (from) {
            from.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException _) {
            // The emulator ended; the marker below says so.
        }
        lines.add(END);
    }

    private String line(Duration limit, String during) throws GuestException, InterruptedException {
        var line = lines.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
        if (line == null) {
            throw new GuestException("the guest hung during " + during + ": " + consoleEnd());
        }
        if (line.equals(END)) {
            lines.add(END);
            throw new GuestException("the guest died during " + during + ": " + consoleEnd());
        }
        return line;
    }

    private String consoleEnd() {
        try {
            var all = Files.readString(console, StandardCharsets.ISO_8859_1).lines().toList();
            return "its console ends with\n  "
                    + String.join(
                            "\n  ",
                            all.subList(Math.max(0, all.size() - CONSOLE_LINES), all.size()));
        } catch (IOException _) {
            return "it has written nothing to its console";
        }
    }

    /**
     * Runs a script in the shared directory.
     *
     * @param limit how long the script may take
     * @throws GuestException if the script takes longer or the guest dies; after that the guest is
     *     unusable
     */
    Ended run(RequestHandler requests, Duration limit, String script, String... arguments)
            throws IOException, InterruptedException, GuestException {
        int number = ++scripts;
        long until = System.nanoTime() + limit.toNanos();
        send(number + " " + script + " " + String.join(" ", arguments));
        var printed = new ArrayList<String>();
        while (true) {
            var line = line(Duration.ofNanos(Math.max(1, until - System.nanoTime())), script);
            if (line.startsWith("=" + number + " ")) {
                return new Ended(
                        Integer.parseInt(line.substring(line.indexOf(' ') + 1).strip()), printed);
            }
            if (line.startsWith("?")) {
                requests.handle(line.substring(1).strip());
                if (!process.isAlive()) {
                    return new Ended(0, printed);
                }
                send("done");
            } else {
                printed.add(line);
            }
        }
    }

    private void send(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    /** Returns the process id of the emulator. */
    long pid() {
        return process.pid();
    }

    /** Kills the emulator, as if the guest lost its power; no connection is closed. */
    void powerOff() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Asks the guest to shut down, and kills the emulator if it does not. */
    @Override
    public void close() {
        try {
            send("off");
            if (process.waitFor(OFF_LIMIT)) {
                return;
            }
        } catch (IOException _) {
            // The guest ended already.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
