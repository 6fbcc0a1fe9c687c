package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The versions of NFS that a server serves. */
final class ServedVersions {
    private static final String VERSION_3 = "3";
    private static final String VERSION_4 = "4";

    @Option(
            names = "--vers",
            paramLabel = "VERSIONS",
            defaultValue = "3,4.0,4.1,4.2",
            description =
                    "The versions of NFS to serve (${DEFAULT-VALUE}); 4 stands for 4.0,4.1,4.2. The"
                            + " commands here speak version 3, or 2 with --nfs2.")
    private String versions;

    @Option(
            names = "--nfs2",
            description =
                    "Serve NFS version 2 and MOUNT version 1 as well, for clients that know no"
                            + " later version.")
    private boolean nfs2;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if a version is none that can be served
     */
    void requirePossible() {
        words();
    }

    private List<String> words() {
        var words = List.of(versions.split(",", -1));
        if (!words.stream().allMatch(each -> each.equals(VERSION_3) || !minors(each).isEmpty())) {
            throw new IllegalArgumentException(
                    "--vers takes 3, 4, 4.0, 4.1 and 4.2, with commas between them, not "
                            + versions);
        }
        return words;
    }

    /** Returns the minor versions that a word stands for; none if it is about another version. */
    private static Set<Integer> minors(String word) {
        return Nfs4Options.MINOR_VERSIONS.stream()
                .filter(minor -> word.equals(VERSION_4) || word.equals(VERSION_4 + "." + minor))
                .collect(Collectors.toSet());
    }

    private Set<Integer> minors() {
        return words().stream().flatMap(each -> minors(each).stream()).collect(Collectors.toSet());
    }

    boolean has2() {
        return nfs2;
    }

    boolean has3() {
        return words().contains(VERSION_3);
    }

    boolean has4() {
        return !minors().isEmpty();
    }

    /** Returns options with the minor versions; unchanged if version 4 is not served. */
    Nfs4Options of(Nfs4Options options) {
        return has4() ? options.withMinorVersions(minors()) : options;
    }

    /** Returns the versions, without their minor ones. */
    Set<Integer> all() {
        var all = new HashSet<Integer>();
        if (has2()) {
            all.add(2);
        }
        if (has3()) {
            all.add(3);
        }
        if (has4()) {
            all.add(4);
        }
        return all;
    }
}
