package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures how much each user can write to a small file system. The file system needs space
 * reserved for root and a quota for some users.
 */
public final class Fill {
    /** The prefix of the ids of these outcomes. */
    public static final String GROUP = "fill/";

    private static final int BYTES_PER_WRITE = 64 << 10;
    private static final long WRITES_MAX = 4096;

    /**
     * The unit to which counts are rounded, in bytes. The file system's own blocks make exact
     * counts vary.
     */
    private static final long STEP = 512 << 10;

    private final TableServer server;
    private final ServerShell shell;

    /**
     * @param server the server, whose open export is the file system
     * @param shell runs scripts on the server's machine, in that export
     */
    public Fill(TableServer server, ServerShell shell) {
        this.server = server;
        this.shell = shell;
    }

    /**
     * Fills the file system as each user in turn, and removes the files.
     *
     * @return an outcome for each user
     */
    public List<Outcome> run() throws IOException, InterruptedException {
        var outcomes = new ArrayList<Outcome>();
        try (var connections = new Connections(server)) {
            var root = connections.mount(Exported.OPEN);
            for (var caller : List.of(Caller.OTHER, Caller.OWNER, Caller.ROOT)) {
                outcomes.add(
                        new Outcome(
                                GROUP + caller.name(),
                                caller.words() + " | " + Exported.OPEN.directory() + " | fills",
                                fill(connections, root, caller)));
            }
        }
        return outcomes;
    }

    private String fill(Connections connections, FileHandle root, Caller caller)
            throws IOException, InterruptedException {
        var name = "filled-by-" + caller.name();
        var place = new Nfs3Call.DirOpArgs(root, name);
        connections.make(
                caller,
                new Nfs3Call.Create(
                        place, new Nfs3Call.CreateMode.Guarded(Change.mode(0600).attributes())));
        var file = connections.lookup(root, name);
        var data = MemorySegment.ofArray(new byte[BYTES_PER_WRITE]);
        long written = 0;
        var status = "OK";
        try {
            for (long i = 0; i < WRITES_MAX; i++) {
                var write = new Nfs3Call.Write(file, written, Stability.FILE_SYNC, data);
                written += connections.make(caller, write).count();
            }
        } catch (NfsException refused) {
            status = refused.status().name();
        }
        var left = shell.run("stat -f -c '%a %f %S' .").getFirst().split(" ");
        connections.make(Caller.ROOT, new Nfs3Call.Remove(place));
        // Removed blocks are free only after the journal has the removal.
        shell.run("sync");
        long blockBytes = Long.parseLong(left[2]);
        return "%s after %d KiB; %s for others, %s for root"
                .formatted(
                        status,
                        written / STEP * STEP >> 10,
                        space(Long.parseLong(left[0]) * blockBytes),
                        space(Long.parseLong(left[1]) * blockBytes));
    }

    private static String space(long bytes) {
        return (bytes > STEP * 4 ? "space" : "nothing") + " is left";
    }
}
