package io.github.rpcrdma4j.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The whole screen of a terminal, with keys that arrive without Enter. Closing it gives the user
 * the terminal back as it was; so does the end of the process.
 */
public final class FullScreen implements AutoCloseable {
    private static final String BEGIN = "\033[?1049h\033[?25l";
    private static final String END = "\033[?25h\033[?1049l";
    private static final String HOME = "\033[H";
    private static final String END_OF_LINE = "\033[K\r\n";
    private static final String REST = "\033[J";
    private static final String REVERSE = "\033[7m";
    private static final String PLAIN = "\033[0m";
    private static final File TERMINAL = new File("/dev/tty");
    private static final long KEY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long SETTING_SECONDS = 2;
    private static final Size USUAL = new Size(80, 24);

    /**
     * How much fits on the screen.
     *
     * @param columns the characters of a line
     * @param rows the lines
     */
    public record Size(int columns, int rows) {}

    private final PrintWriter out;
    private final InputStream in;

    /** The settings of the terminal before; empty if they are unknown, and then unchanged. */
    private final String before;

    private final Thread atEnd = Thread.ofPlatform().unstarted(this::restore);

    public FullScreen(PrintWriter out, InputStream in) {
        this.out = out;
        this.in = in;
        this.before = stty("-g");
        if (!before.isEmpty()) {
            stty("-icanon", "-echo", "min", "1");
        }
        Runtime.getRuntime().addShutdownHook(atEnd);
        out.print(BEGIN);
        out.flush();
    }

    /** Returns the present size. */
    public Size size() {
        var words = stty("size").split(" ");
        try {
            int rows = Integer.parseInt(words[0]);
            int columns = Integer.parseInt(words[1]);
            return rows > 0 && columns > 0 ? new Size(columns, rows) : USUAL;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException _) {
            return USUAL;
        }
    }

    /**
     * Shows lines in place of those before.
     *
     * @param heads how lines begin that stand out
     */
    public void show(List<String> lines, List<String> heads) {
        var text = new StringBuilder(HOME);
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            boolean isHead = heads.stream().anyMatch(line::startsWith);
            text.append(isHead ? REVERSE + line + PLAIN : line);
            text.append(i == lines.size() - 1 ? "\033[K" : END_OF_LINE);
        }
        out.print(text.append(REST));
        out.flush();
    }

    /**
     * Waits for some time, or until the user presses q.
     *
     * @param deadline by the clock of the process, in nanoseconds
     * @return whether the user did
     */
    public boolean isEndedUntil(long deadline) throws IOException, InterruptedException {
        while (System.nanoTime() < deadline) {
            while (in.available() > 0) {
                int key = in.read();
                if (key == 'q' || key == 'Q') {
                    return true;
                }
            }
            TimeUnit.NANOSECONDS.sleep(
                    Math.min(KEY_NANOS, Math.max(1, deadline - System.nanoTime())));
        }
        return false;
    }

    @Override
    public void close() {
        restore();
        try {
            Runtime.getRuntime().removeShutdownHook(atEnd);
        } catch (IllegalStateException _) {
            // The process is ending.
        }
    }

    private void restore() {
        out.print(END);
        out.flush();
        if (!before.isEmpty()) {
            stty(before);
        }
    }

    /** Asks the program stty; returns nothing if it fails. */
    private static String stty(String... arguments) {
        var command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        try {
            var process =
                    new ProcessBuilder(command)
                            .redirectInput(TERMINAL)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            var answer =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor(SETTING_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0
                    ? answer.strip()
                    : "";
        } catch (IOException _) {
            return "";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
