package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Goal: no peer can choose keys of one hash code for a hash map (ADR 43). Method: read the sources
 * of all maps and sets, and of the types of their keys.
 */
class HashedKeysTest {
    private static final List<Path> TOOLS =
            List.of(Path.of("bench"), Path.of("interop"), Path.of("nfs-store-contract"));

    /** Keys that no peer chooses, or only few of them, though their hash codes are known. */
    private static final Map<String, String> NOT_CHOSEN =
            Map.ofEntries(
                    Map.entry("Action.Call", "calls that the server makes"),
                    Map.entry("AdapterDomain.Resource", "memory of this process"),
                    Map.entry("Socket", "compared by identity"),
                    Map.entry("Connection", "numbered by the server"),
                    Map.entry("QueuePair", "numbered by the provider"),
                    Map.entry("Object", "clients and principals, as a ClientAddress or a String"),
                    Map.entry("ProgramId", "the programs that a process serves"),
                    Map.entry("GssClient.Program", "the programs that a process calls"),
                    Map.entry("Clients", "the rules of exports"),
                    Map.entry("Export", "the exports"),
                    Map.entry("CachedRegistrations.Key", "memory of this process"),
                    Map.entry("NoticeTurns.Notice", "at most 32 hosts at a time"),
                    Map.entry("Registrations.Registered", "the programs of this server"),
                    Map.entry("List<String>", "metrics that this program reads"),
                    Map.entry("InetAddress", "the addresses of few names"),
                    Map.entry("InetSocketAddress", "servers that the user names"),
                    Map.entry("WatchKey", "compared by identity"),
                    Map.entry("Path", "the exports"));

    /** Returns the sources without tools of the project and without tests that it publishes. */
    private static List<Path> product() {
        return ProjectTree.mainSources().stream()
                .filter(file -> !TOOLS.contains(ProjectTree.ROOT.relativize(file).getName(0)))
                .toList();
    }

    @Test
    void noPeerChoosesKeysOfOneHashCode() {
        var keys = HashedKeys.of(product());
        assertTrue(keys.all().size() > 60, "keys were found: " + keys.all());
        assertTrue(keys.all().contains("OpaqueName"), "keys were found: " + keys.all());
        var known = new TreeSet<>(keys.known().keySet());
        known.removeAll(NOT_CHOSEN.keySet());
        assertEquals(
                List.of(),
                known.stream().map(key -> key + " in " + keys.known().get(key)).toList(),
                "the hash codes of these keys are known to everybody");
        var stale = new TreeSet<>(NOT_CHOSEN.keySet());
        stale.removeAll(keys.known().keySet());
        assertEquals(List.of(), List.copyOf(stale), "no map has these keys");
    }
}
