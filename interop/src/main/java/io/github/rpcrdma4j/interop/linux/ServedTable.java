package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.access.Exported;
import java.util.ArrayList;
import java.util.List;

/** How servers are told to export the folders of the table. */
final class ServedTable {
    private ServedTable() {}

    /**
     * In the words of {@code rpcrdma serve}.
     *
     * @param base the folder that holds the exports' folders
     */
    static List<String> words(String base) {
        var words = new ArrayList<String>();
        for (var exported : Exported.values()) {
            var folder = exported.folder();
            words.add(base + "/" + folder + "=/" + folder);
            words.add("--allow");
            words.add("/" + folder + "=any," + exported.options());
        }
        return words;
    }

    /**
     * In the words of exports(5), with the flavors that {@code rpcrdma serve} takes by default.
     *
     * @param base the folder that holds the exports' folders
     * @param firstId of the numbers that tell file systems apart, one for each folder
     */
    static List<String> exports(String base, int firstId) {
        var lines = new ArrayList<String>();
        for (var exported : Exported.values()) {
            lines.add(
                    "%s/%s *(%s,sec=sys:none,sync,insecure,no_subtree_check,fsid=%d)"
                            .formatted(
                                    base,
                                    exported.folder(),
                                    exported.options(),
                                    firstId + exported.ordinal()));
        }
        return lines;
    }
}
