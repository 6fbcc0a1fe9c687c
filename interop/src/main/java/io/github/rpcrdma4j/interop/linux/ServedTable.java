package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.access.Exported;
import java.util.ArrayList;
import java.util.List;

/** The settings with which servers export the directories of the table. */
final class ServedTable {
    private ServedTable() {}

    /**
     * Returns the arguments of {@code rpcrdma serve}.
     *
     * @param base the directory that holds the exports' directories
     */
    static List<String> words(String base) {
        var words = new ArrayList<>(List.of("--delegations", "leases"));
        for (var exported : Exported.values()) {
            var directory = exported.directory();
            words.add(base + "/" + directory + "=/" + directory);
            words.add("--allow");
            words.add("/" + directory + "=any," + exported.options());
        }
        return words;
    }

    /**
     * Returns lines in the syntax of exports(5), with the security flavors that {@code rpcrdma
     * serve} takes by default.
     *
     * @param base the directory that holds the exports' directories
     * @param firstId the fsid of the first directory; the others have the following numbers
     */
    static List<String> exports(String base, int firstId) {
        var lines = new ArrayList<String>();
        for (var exported : Exported.values()) {
            lines.add(
                    "%s/%s *(%s,sec=sys:none,sync,no_subtree_check,fsid=%d)"
                            .formatted(
                                    base,
                                    exported.directory(),
                                    exported.options(),
                                    firstId + exported.ordinal()));
        }
        return lines;
    }
}
