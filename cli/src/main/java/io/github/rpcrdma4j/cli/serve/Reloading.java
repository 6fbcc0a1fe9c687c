package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.service.ControlledServer;
import io.github.rpcrdma4j.cli.service.Log;
import io.github.rpcrdma4j.cli.service.LogOptions;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.ExportChanges;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine;

/**
 * Reads the config file of a server again while it serves, one time after the other. What is wrong
 * changes nothing. Thread-safe.
 */
final class Reloading implements ControlledServer.Reload {
    private static final Logger LOG = System.getLogger(Reloading.class.getName());

    private final ServerConfig started;
    private final CommandLine command;
    private final NfsServer nfs;
    private final Announcement announcement;
    private final PrintWriter out;

    /**
     * @param started what the server was started with
     * @param announcement tells how clients reach an export that is new
     */
    Reloading(
            ServerConfig started,
            CommandLine command,
            NfsServer nfs,
            Announcement announcement,
            PrintWriter out) {
        this.started = started;
        this.command = command;
        this.nfs = nfs;
        this.announcement = announcement;
        this.out = out;
    }

    @Override
    public synchronized void reload(Consumer<String> lines) throws IOException {
        var file = started.text().file();
        // A config file that is wrong does not keep the log from its new place, nor the other way.
        reopen(started.options().log::reopen, lines);
        reopen(started.options().audit::reopen, lines);
        try {
            var flavors = started.exports().getFirst().flavors();
            var config = ServerConfig.readAgain(file, command, flavors);
            var changes = nfs.replaceExports(config.exports());
            Log.OF_PROCESS.setLevel(config.options().log.level());
            for (var line : words(config, changes)) {
                lines.accept(line);
                LOG.log(Level.INFO, line);
            }
            nfs.descriptions().stream()
                    .filter(each -> changes.added().contains(each.export().name()))
                    .forEach(each -> announcement.print(out, each, nfs.withoutVersion2()));
            out.flush();
        } catch (IOException | IllegalArgumentException wrong) {
            var words =
                    wrong instanceof ConfigMistakes.Wrong
                            ? wrong.getMessage()
                            : file + ": " + FailureText.oneLine(wrong);
            LOG.log(Level.WARNING, "not reloaded, all is served as before: " + words);
            throw new IOException(words, wrong);
        }
    }

    /** A file that is opened again. */
    private interface Opening {
        void reopen() throws IOException;
    }

    private static void reopen(Opening file, Consumer<String> lines) {
        try {
            file.reopen();
        } catch (IOException notOpened) {
            lines.accept(notOpened.getMessage());
        }
    }

    private List<String> words(ServerConfig config, ExportChanges changes) {
        var file = started.text().file();
        var lines = new ArrayList<String>();
        started.otherSettings(config.text()).entrySet().stream()
                .filter(each -> !each.getKey().equals(LogOptions.LEVEL))
                .sorted(Map.Entry.comparingByValue())
                .forEach(
                        each ->
                                lines.add(
                                        place(each.getValue())
                                                + each.getKey()
                                                + " changes at the next start only"));
        changes.notes().forEach(each -> lines.add(file + ": " + each));
        var parts = new ArrayList<String>();
        add(parts, "removed", changes.removed());
        add(parts, "added", changes.added());
        add(parts, "changed", changes.changed());
        parts.add(changes.unchanged() + " unchanged");
        lines.add("reloaded " + file + ": " + String.join("; ", parts));
        return lines.stream().map(Printable::line).toList();
    }

    /** Returns the beginning of a line about a line of the file; 0 if it is about none. */
    private String place(int line) {
        return started.text().file() + (line == 0 ? ": " : ":" + line + ": ");
    }

    private static void add(List<String> parts, String what, List<String> names) {
        if (!names.isEmpty()) {
            parts.add(what + " " + String.join(", ", names));
        }
    }
}
