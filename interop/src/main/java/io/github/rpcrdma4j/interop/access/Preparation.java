package io.github.rpcrdma4j.interop.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The shell scripts that make the files of a table.
 *
 * <p>There are two scripts, because file handles have to be looked up in between. After the first
 * script all directories are open. The second script sets the owners, modes and access control
 * lists of the cases.
 */
final class Preparation {
    /**
     * The access and modification time of untouched files, in seconds since 1970 (a date in 2001).
     */
    static final long OLD_SECONDS = 1_000_000_000;

    private static final int PATHS_PER_COMMAND = 100;

    /** The prepared files, by path below the directory of all exports; directories come first. */
    private final Map<String, CaseFile> files = new LinkedHashMap<>();

    Preparation(List<Case> cases) {
        for (int i = 0; i < cases.size(); i++) {
            var directory = directory(cases.get(i), i);
            for (var file : cases.get(i).files()) {
                files.put(path(directory, file.path()), file);
            }
        }
    }

    /** Returns the path of the directory of a case. */
    static String directory(Case of, int index) {
        return "%s/c%04d".formatted(of.export().directory(), index);
    }

    private static String path(String directory, String inner) {
        return inner.equals(".") ? directory : directory + "/" + inner;
    }

    /** Returns the prepared files, by path below the directory of all exports. */
    Map<String, CaseFile> files() {
        return files;
    }

    private List<String> paths(CaseFile.Kind kind) {
        return files.entrySet().stream()
                .filter(entry -> entry.getValue().kind() == kind)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the script that makes the files, with all directories open to all users. */
    String make() {
        var script = new StringBuilder("set -e\numask 0\n");
        // A server may keep the directories of the exports open, so these themselves stay.
        for (var exported : Exported.values()) {
            script.append(
                    "mkdir -p %1$s\nchmod 755 %1$s\nrm -rf %1$s/*\n"
                            .formatted(exported.directory()));
        }
        each(script, "mkdir ", paths(CaseFile.Kind.DIRECTORY), "");
        each(
                script,
                "for f in ",
                paths(CaseFile.Kind.FILE),
                "; do printf " + CaseFile.CONTENT + " >$f; done");
        each(script, "for f in ", paths(CaseFile.Kind.EMPTY), "; do : >$f; done");
        each(script, "mkfifo ", paths(CaseFile.Kind.FIFO), "");
        files.forEach(
                (path, file) -> {
                    switch (file.kind()) {
                        case CHARACTER -> script.append("mknod %s c 1 3\n".formatted(path));
                        case BLOCK -> script.append("mknod %s b 1 3\n".formatted(path));
                        case LINK -> script.append("ln -s %s %s\n".formatted(file.target(), path));
                        case HARD_LINK ->
                                script.append(
                                        "ln %s %s\n".formatted(sibling(path, file.target()), path));
                        case FILE, EMPTY, DIRECTORY, FIFO -> {}
                    }
                });
        return script.toString();
    }

    private static String sibling(String path, String name) {
        return path.substring(0, path.lastIndexOf('/') + 1) + name;
    }

    private static void each(
            StringBuilder script, String before, List<String> paths, String after) {
        for (int from = 0; from < paths.size(); from += PATHS_PER_COMMAND) {
            int to = Math.min(paths.size(), from + PATHS_PER_COMMAND);
            script.append(before)
                    .append(String.join(" ", paths.subList(from, to)))
                    .append(after)
                    .append('\n');
        }
    }

    /** Returns the script that sets owners, modes, access control lists and an old time. */
    String grant() {
        var script = new StringBuilder("set -e\n");
        var links = new LinkedHashMap<String, List<String>>();
        files.forEach(
                (path, file) -> {
                    if (file.kind() == CaseFile.Kind.LINK) {
                        links.computeIfAbsent(file.owner(), _ -> new ArrayList<>()).add(path);
                    }
                });
        links.forEach((owner, paths) -> each(script, "chown -h " + owner + " ", paths, ""));
        script.append("setfacl --restore=- <<'END'\n");
        files.forEach(
                (path, file) -> {
                    if (file.kind() != CaseFile.Kind.LINK
                            && file.kind() != CaseFile.Kind.HARD_LINK) {
                        restore(script, path, file);
                    }
                });
        script.append("END\nfind");
        for (var exported : Exported.values()) {
            script.append(' ').append(exported.directory());
        }
        return script.append(" -exec touch -h -d @" + OLD_SECONDS + " {} +\n").toString();
    }

    private static void restore(StringBuilder script, String path, CaseFile file) {
        int mode = file.mode();
        script.append("# file: ").append(path);
        script.append("\n# owner: ").append(Integer.toUnsignedString(file.uid()));
        script.append("\n# group: ").append(Integer.toUnsignedString(file.gid()));
        script.append("\n# flags: ");
        script.append((mode & 04000) != 0 ? 's' : '-');
        script.append((mode & 02000) != 0 ? 's' : '-');
        script.append((mode & 01000) != 0 ? 't' : '-');
        script.append("\nuser::").append(bits(mode >>> 6));
        if (file.acl().stream().noneMatch(entry -> entry.startsWith("group::"))) {
            script.append("\ngroup::").append(bits(mode >>> 3));
        }
        script.append("\nother::").append(bits(mode)).append('\n');
        file.acl().forEach(entry -> script.append(entry).append('\n'));
        script.append('\n');
    }

    private static String bits(int digit) {
        return ((digit & 4) != 0 ? "r" : "-")
                + ((digit & 2) != 0 ? "w" : "-")
                + ((digit & 1) != 0 ? "x" : "-");
    }
}
