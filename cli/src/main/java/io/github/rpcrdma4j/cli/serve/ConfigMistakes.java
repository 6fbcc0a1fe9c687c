package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what is wrong with a config file. */
final class ConfigMistakes {
    private record Mistake(int line, String words) {}

    private final Path file;

    /** Whether the file itself is wrong, and not only something that it names. */
    private boolean isOfFile;

    private final List<Mistake> mistakes = new ArrayList<>();

    ConfigMistakes(Path file) {
        this.file = file;
    }

    /** Something is wrong with a config file. */
    static final class Wrong extends IOException {
        private static final long serialVersionUID = 1;

        private final transient List<String> lines;
        private final boolean isOfFile;

        private Wrong(String summary, List<String> lines, boolean isOfFile) {
            super(summary);
            this.lines = lines;
            this.isOfFile = isOfFile;
        }

        /** Returns whether the file itself is wrong: what it names may become right without it. */
        boolean isOfFile() {
            return isOfFile;
        }

        /** Returns all mistakes, each in one line, with the file and its line. */
        List<String> lines() {
            return lines;
        }
    }

    /** Something that may be wrong. */
    interface Step {
        void run() throws IOException;
    }

    /**
     * @param line of the file; 0 if the mistake is in none
     */
    void add(int line, String words) {
        isOfFile = true;
        mistakes.add(new Mistake(line, words));
    }

    /**
     * Does a step, and adds what is wrong with it.
     *
     * @return whether nothing is
     */
    boolean check(int line, Step step) {
        try {
            step.run();
            return true;
        } catch (IllegalArgumentException wrong) {
            add(line, withoutDashes(wrong.getMessage()));
        } catch (IOException failed) {
            mistakes.add(new Mistake(line, withoutDashes(FailureText.oneLine(failed))));
        }
        return false;
    }

    /** Messages are about options of the command line, whose names have dashes. */
    private static String withoutDashes(String words) {
        return words.replaceAll("(?<![^ ('])--(?=[a-z])", "");
    }

    /**
     * @throws Wrong if there are mistakes; its message is the first one, and how many more there
     *     are
     */
    void requireNone() throws Wrong {
        if (mistakes.isEmpty()) {
            return;
        }
        var lines =
                mistakes.stream()
                        .sorted(Comparator.comparingInt(Mistake::line))
                        .map(this::text)
                        .distinct()
                        .toList();
        var first = lines.getFirst();
        int more = lines.size() - 1;
        throw new Wrong(
                more == 0
                        ? first
                        : "%s (and %d more: rpcrdma serve --config %s --check)"
                                .formatted(first, more, file),
                lines,
                isOfFile);
    }

    private String text(Mistake mistake) {
        var place = mistake.line == 0 ? file.toString() : file + ":" + mistake.line;
        return Printable.line(place + ": " + mistake.words);
    }
}
