package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.cli.terminal.StandardStream;
import io.github.rpcrdma4j.cli.terminal.Terminal;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.copy.IncompleteTreeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/**
 * What {@code sync} may remove. If that has a limit, or if a user at a terminal may have to decide,
 * a trial first finds out what would be removed.
 *
 * <p>Tests: {@code SyncPlacesTest}, {@code SyncTest}.
 */
final class Removal {
    @Option(
            names = "--delete",
            description =
                    "Remove files of the target that SOURCE does not have. Excluded files stay, and"
                            + " so does all in a directory in which a file could not be read or"
                            + " copied. An empty SOURCE removes nothing.")
    private boolean deletes;

    @Option(
            names = "--max-delete",
            paramLabel = "N",
            description =
                    "With --delete, remove at most N files and directories. If there are more, the"
                            + " others stay, and the exit status is 1.")
    private Long max;

    @Option(
            names = "--yes",
            description =
                    "With --delete on a terminal, do not ask before more is removed than SOURCE has.")
    private boolean yes;

    /** Copies something, or tries to. */
    interface Work {
        void run(Copier copier, CopyRules rules) throws IOException, InterruptedException;
    }

    /** What a copy would do, as a trial found. Thread-safe. */
    static final class Foreseen implements CopyListener {
        private final long max;
        private long files;
        private long removed;

        /**
         * The first paths to remove, at most as many as allowed; files before their directories.
         */
        private final TreeSet<String> first = new TreeSet<>(Collections.reverseOrder());

        Foreseen(long max) {
            this.max = max;
        }

        @Override
        public synchronized void planned(Step step, String name, long bytes) {
            switch (step) {
                case COPY -> files++;
                case SET_ATTRIBUTES, MAKE_DIRECTORY -> {}
                case DELETE -> {
                    removed++;
                    first.add(name);
                    if (first.size() > max) {
                        first.pollLast();
                    }
                }
            }
        }

        /** Returns how many files the source has. */
        synchronized long files() {
            return files;
        }

        /** Returns how many files and directories would be removed. */
        synchronized long removed() {
            return removed;
        }

        /** Returns the paths that may be removed. */
        synchronized Set<String> first() {
            return Set.copyOf(first);
        }
    }

    /** Returns which files are removed, without a limit. */
    Deletion deletion() {
        if (max != null && max < 0) {
            throw new IllegalArgumentException("--max-delete must not be negative");
        }
        if (!deletes && (max != null || yes)) {
            throw new IllegalArgumentException(
                    (yes ? "--yes" : "--max-delete") + " makes sense with --delete only");
        }
        return deletes ? new Deletion.Everything() : new Deletion.Nothing();
    }

    /**
     * Refuses a limit for several sources, each of which would have it.
     *
     * @throws IOException if there is one
     */
    void requireOneSource(int sources) throws IOException {
        if (sources > 1 && max != null) {
            throw new IOException(
                    "--max-delete is for one source, and the pattern matches " + sources);
        }
    }

    /**
     * Does the work. If more would be removed than allowed, the rest stays, and the copy counts as
     * incomplete.
     *
     * @param target that loses files, for messages
     * @throws IOException also if the user does not want that
     */
    void run(
            Copies copies, NfsUrl url, CopyRules rules, Progress progress, String target, Work work)
            throws IOException, InterruptedException {
        boolean asks = !yes && !rules.isTrial() && Terminal.isInput() && Terminal.isError();
        if (!deletes || max == null && !asks) {
            work.run(copies.copier(url), rules);
            return;
        }
        var foreseen = new Foreseen(max == null ? 0 : max);
        var trial =
                new CopyRules(
                        rules.filter(),
                        Comparison.NONE,
                        rules.deletion(),
                        true,
                        rules.replacesOtherTypes(),
                        rules.leavesTop());
        try {
            work.run(copies.copier(url, foreseen), trial);
        } catch (IncompleteTreeException _) {
            // The copy itself reports what fails.
        }
        long removed = max == null ? foreseen.removed() : Math.min(foreseen.removed(), max);
        if (asks && removed > foreseen.files()) {
            require(
                    progress,
                    "rpcrdma: this removes %s from %s, and the source has %s. Go on? [y/N] "
                            .formatted(
                                    Count.words(removed, "file"),
                                    Printable.line(target),
                                    Count.words(foreseen.files(), "file")));
        }
        if (max == null) {
            work.run(copies.copier(url), rules);
            return;
        }
        if (foreseen.removed() > max) {
            progress.println(
                    "rpcrdma: --max-delete is "
                            + max
                            + ", and SOURCE lacks "
                            + foreseen.removed()
                            + " files of "
                            + Printable.line(target)
                            + ": "
                            + (foreseen.removed() - max)
                            + " stay");
            copies.setIncomplete();
        }
        work.run(copies.copier(url), rules.withDeletion(new Deletion.Only(foreseen.first())));
    }

    private static void require(Progress progress, String question)
            throws IOException, InterruptedException {
        progress.ask(question);
        try {
            if (!isYes(line())) {
                throw new IOException("nothing was copied or removed");
            }
        } catch (ClosedByInterruptException _) {
            throw new InterruptedException();
        } finally {
            progress.goOn();
        }
    }

    /** Returns whether an answer means yes. */
    static boolean isYes(String answer) {
        var word = answer.strip().toLowerCase(Locale.ROOT);
        return word.equals("y") || word.equals("yes");
    }

    /** Reads a line from the terminal; an interrupt ends that. */
    @SuppressWarnings("resource")
    private static String line() throws IOException {
        var input = StandardStream.input();
        var line = new StringBuilder();
        var one = ByteBuffer.allocate(1);
        while (input.read(one.clear()) > 0 && one.get(0) != '\n') {
            line.append(StandardCharsets.ISO_8859_1.decode(one.flip()));
        }
        return line.toString();
    }
}
