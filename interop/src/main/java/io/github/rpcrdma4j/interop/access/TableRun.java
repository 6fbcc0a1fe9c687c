package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tries the cases of a table on a server: prepares the files, makes the calls, and compares the
 * files before and after.
 *
 * <p>Tests: {@code OurServerAccessTest}.
 */
public final class TableRun {
    private final List<Case> cases;
    private final TableServer server;
    private final ServerShell shell;
    private final Map<Exported, FileHandle> roots = new EnumMap<>(Exported.class);

    /**
     * @param shell runs scripts on the server's machine, in the directory that holds the
     *     directories of all exports; the run removes all files in these directories
     */
    public TableRun(Table table, TableServer server, ServerShell shell) {
        this.cases = table.cases();
        this.server = server;
        this.shell = shell;
    }

    /**
     * Returns a script that makes the directories of all exports, for a server that needs them at
     * its start.
     */
    public static String exportsScript() {
        return new Preparation(List.of()).make();
    }

    /**
     * Tries all cases.
     *
     * @return an outcome for each case
     * @throws IOException if the files cannot be prepared or cannot be found
     */
    public List<Outcome> run() throws IOException, InterruptedException {
        var preparation = new Preparation(cases);
        shell.run(preparation.make());
        try (var connections = new Connections(server);
                var compounds = new CompoundCalls(server)) {
            for (var exported : Exported.values()) {
                roots.put(exported, connections.mount(exported));
            }
            var calls = new ArrayList<Prepared>();
            for (int i = 0; i < cases.size(); i++) {
                calls.add(prepare(connections, compounds, i));
            }
            shell.run(preparation.grant());
            var before = Snapshot.parse(shell.run(Snapshot.SCRIPT));
            requirePrepared(preparation, before);
            var replies = new ArrayList<String>();
            for (var call : calls) {
                replies.add(call.make());
            }
            var after = Snapshot.parse(shell.run(Snapshot.SCRIPT));
            return outcomes(before, after, replies);
        }
    }

    /** The request of a case whose files were looked up. */
    private interface Prepared {
        /** Returns the reply in words. */
        String make() throws InterruptedException;
    }

    /** Looks up the files of a case, in the version of its request. */
    private Prepared prepare(Connections connections, CompoundCalls compounds, int index)
            throws IOException, InterruptedException {
        var of = cases.get(index);
        return switch (of.request()) {
            case Operation operation -> {
                var handles = find(connections, index);
                yield () -> call(connections, of, operation, handles);
            }
            case Compounds request -> {
                var directory = Preparation.directory(of, index);
                var paths = of.files().stream().map(CaseFile::path).toList();
                var handles =
                        compounds.find(
                                server.export(of.export())
                                        + directory.substring(directory.indexOf('/')),
                                paths);
                yield () -> compounds.call(of, request, handles);
            }
        };
    }

    private Map<String, FileHandle> find(Connections connections, int index)
            throws IOException, InterruptedException {
        var of = cases.get(index);
        var directory = Preparation.directory(of, index);
        var found = new HashMap<String, FileHandle>();
        for (var file : of.files()) {
            var path = file.path();
            int slash = path.lastIndexOf('/');
            if (path.equals(".")) {
                found.put(
                        path,
                        connections.lookup(
                                roots.get(of.export()),
                                directory.substring(directory.indexOf('/') + 1)));
            } else {
                found.put(
                        path,
                        connections.lookup(
                                found.get(slash < 0 ? "." : path.substring(0, slash)),
                                path.substring(slash + 1)));
            }
        }
        return found;
    }

    private static String call(
            Connections connections, Case of, Operation operation, Map<String, FileHandle> handles)
            throws InterruptedException {
        var call =
                operation
                        .build()
                        .from(
                                path -> {
                                    var handle = handles.get(path);
                                    if (handle == null) {
                                        throw new IllegalArgumentException(
                                                of.id() + " has no " + path);
                                    }
                                    return handle;
                                });
        return connections.call(of.caller(), call).strip();
    }

    /**
     * Requires that the prepared files are as the table says. Otherwise the outcomes would be
     * wrong.
     */
    private static void requirePrepared(Preparation preparation, Snapshot before)
            throws IOException {
        for (var entry : preparation.files().entrySet()) {
            var file = entry.getValue();
            var found = before.entry(entry.getKey());
            if (found == null
                    || file.kind() != CaseFile.Kind.HARD_LINK
                            && (found.uid() != Integer.toUnsignedLong(file.uid())
                                    || found.gid() != Integer.toUnsignedLong(file.gid())
                                    || !hasMode(file, found.mode()))) {
                throw new IOException(
                        "the preparation failed: %s is %s instead of %s"
                                .formatted(entry.getKey(), found, file.words()));
            }
        }
    }

    /**
     * Returns whether a mode is that of an file. With an access control list, the middle digit is
     * its mask and does not count.
     */
    private static boolean hasMode(CaseFile file, int found) {
        boolean masked = file.acl().stream().anyMatch(entry -> entry.startsWith("mask::"));
        int compared = masked ? ~070 : ~0;
        return (found & compared) == (file.mode() & compared);
    }

    private List<Outcome> outcomes(Snapshot before, Snapshot after, List<String> replies) {
        var outcomes = new ArrayList<Outcome>();
        for (int i = 0; i < cases.size(); i++) {
            var of = cases.get(i);
            var directory = Preparation.directory(of, i);
            boolean setsTimes = of.request().setsAttributes();
            var words = new ArrayList<String>();
            words.add(replies.get(i));
            words.addAll(
                    new Differences(before.newest(), setsTimes)
                            .between(
                                    new TreeMap<>(before.below(directory)),
                                    after.below(directory)));
            outcomes.add(new Outcome(of.id(), of.words(), String.join("; ", words)));
        }
        return outcomes;
    }
}
