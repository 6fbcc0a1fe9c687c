package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Copies a tree of all kinds of files to a foreign server and back, and requires equal attributes.
 *
 * @param url of the export
 * @param setsTimesOfLinks whether the server sets the times of symbolic links; Ganesha says that it
 *     does, and leaves them
 */
record ArchiveCopies(
        CellRun run, Commands commands, String url, boolean setsTimesOfLinks, Server server) {
    /** The server as its own machine sees it. */
    interface Server {
        /**
         * Runs the script on a tree in the export.
         *
         * @param what {@code "list"} or {@code "remove"}
         * @return the lines that it printed
         */
        List<String> run(CellRun.Findings findings, String what, String tree)
                throws IOException, InterruptedException, GuestException;
    }

    private static final Duration LIMIT = Duration.ofSeconds(240);
    private static final String SCRIPT = "linux-server/attributes.sh";
    private static final String TREE = "attributes";
    private static final int SHOWN_MAX = 3;

    /** The number of a file, and the mode of a link in base 16. */
    private static final Pattern LINK = Pattern.compile("file \\d+ a");

    private static final Pattern TIME = Pattern.compile("\\d+\\.\\d{9}");
    private static final int SYNCS = 3;

    /** Returns the copies to the kernel's server in the guest. */
    static ArchiveCopies toGuest(CellRun run, Commands commands) {
        return new ArchiveCopies(
                run,
                commands,
                commands.url(""),
                true,
                (_, what, tree) ->
                        run.guest().run(_ -> {}, LIMIT, SCRIPT, what, "/export/" + tree).printed());
    }

    /** Returns the copies to Ganesha, which serves a directory of this machine. */
    static ArchiveCopies toGanesha(CellRun run, Commands commands, String url, Path export) {
        return new ArchiveCopies(
                run,
                commands,
                url,
                false,
                (findings, what, tree) -> onHost(run, findings, what, export.resolve(tree)));
    }

    /**
     * Makes the copies.
     *
     * @param quick whether to leave out that {@code sync} finds nothing to do after them
     */
    void make(boolean quick, CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var tree = run.logs().resolve(TREE);
        onHost(run, findings, "make", tree);
        var made = onHost(run, findings, "list", tree);
        findings.note(made.size() - 1 + " files");
        commands.succeeds(findings, LIMIT, "put", "-a", tree.toString(), url);
        compare(findings, "the server holds", made, server.run(findings, "list", TREE));
        var back = run.logs().resolve("attributes-back");
        commands.succeeds(findings, LIMIT, "get", "-a", url + "/" + TREE, back.toString());
        compare(findings, "the returned copy has", made, onHost(run, findings, "list", back));
        if (!quick) {
            rests(findings, tree + "/", url + "/" + TREE);
            rests(findings, url + "/" + TREE + "/", back.toString());
            compare(findings, "sync leaves there", made, server.run(findings, "list", TREE));
            compare(findings, "sync leaves here", made, onHost(run, findings, "list", back));
        }
        server.run(findings, "remove", TREE);
        for (var each : List.of(tree, back)) {
            onHost(run, findings, "remove", each);
        }
    }

    /** Requires that sync transfers and removes nothing, as the copy has all of the source. */
    private void rests(CellRun.Findings findings, String source, String target)
            throws IOException, InterruptedException {
        for (int i = 0; i < SYNCS; i++) {
            var words = new String[] {"sync", "-av", "--delete", source, target};
            var ended = commands.run(LIMIT, words);
            boolean isAtRest =
                    ended.status() == 0
                            && ended.printed().contains("0 files, 0 bytes in ")
                            && !ended.printed().contains("removed ");
            findings.expect(
                    isAtRest,
                    "%s ended with %d: %s"
                            .formatted(String.join(" ", words), ended.status(), ended.printed()));
        }
    }

    /** Runs the script on the host and returns the lines that it printed. */
    private static List<String> onHost(
            CellRun run, CellRun.Findings findings, String what, Path tree)
            throws IOException, InterruptedException {
        var script = run.directories().shared(run.cell()).resolve(SCRIPT);
        var printed = Files.createTempFile(run.logs(), what, ".log");
        int status =
                new ProcessBuilder("sh", script.toString(), what, tree.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(printed.toFile())
                        .start()
                        .waitFor();
        var lines = Files.readAllLines(printed);
        Files.delete(printed);
        findings.expect(status == 0, what + " of " + tree + ": " + lines);
        return lines;
    }

    private void compare(
            CellRun.Findings findings, String what, List<String> source, List<String> copy) {
        var expected = source.stream().map(this::kept).toList();
        var found = copy.stream().map(this::kept).toList();
        var missing = new ArrayList<>(expected);
        missing.removeAll(found);
        var more = new ArrayList<>(found);
        more.removeAll(expected);
        findings.expect(
                missing.isEmpty() && more.isEmpty(),
                "%s %s instead of %s".formatted(what, shown(more), shown(missing)));
    }

    /** Returns a line without what the server does not keep. */
    private String kept(String line) {
        boolean isLink = LINK.matcher(line).lookingAt();
        return isLink && !setsTimesOfLinks ? TIME.matcher(line).replaceAll("-") : line;
    }

    private static List<String> shown(List<String> lines) {
        return lines.subList(0, Math.min(SHOWN_MAX, lines.size()));
    }
}
