package io.github.rpcrdma4j.interop.access;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The files of a server at one time, as its operating system reports them. */
final class Snapshot {
    private static final String LISTS = "lists:";
    private static final int MODE = 07777;
    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;
    private static final Map<Integer, Character> LETTERS =
            Map.of(
                    0010000, 'p', 0020000, 'c', DIRECTORY, 'd', 0060000, 'b', REGULAR, 'f', 0120000,
                    'l', 0140000, 's');

    /** The shell script whose output {@link #parse} reads. */
    static final String SCRIPT =
            """
            export QUOTING_STYLE=literal LC_ALL=C
            find . -exec stat -c '%f|%u|%g|%s|%h|%t:%T|%.9X|%.9Y|%.9Z|%N' {} +
            echo lists:
            getfacl -RPnpsE .
            """;

    /**
     * One file of a snapshot.
     *
     * @param raw the type and mode bits, as stat(2) returns them
     * @param target the text of a symbolic link, else empty
     * @param list the entries of the access control list; empty if the file has only a mode
     */
    record Entry(
            int raw,
            long uid,
            long gid,
            long size,
            int links,
            String device,
            BigDecimal accessed,
            BigDecimal modified,
            BigDecimal changed,
            String target,
            List<String> list) {
        int mode() {
            return raw & MODE;
        }

        int type() {
            return raw & TYPE;
        }

        char letter() {
            return LETTERS.getOrDefault(type(), '?');
        }

        boolean hasSize() {
            return type() == REGULAR;
        }

        /**
         * Returns whether the link count counts only explicit links; that of a directory also
         * counts its entries.
         */
        boolean hasLinks() {
            return type() != DIRECTORY;
        }

        private Entry withList(List<String> entries) {
            return new Entry(
                    raw,
                    uid,
                    gid,
                    size,
                    links,
                    device,
                    accessed,
                    modified,
                    changed,
                    target,
                    List.copyOf(entries));
        }
    }

    private final NavigableMap<String, Entry> entries;

    private Snapshot(NavigableMap<String, Entry> entries) {
        this.entries = entries;
    }

    /**
     * Parses the output of {@link #SCRIPT}.
     *
     * @throws IOException if a line is malformed
     */
    static Snapshot parse(List<String> lines) throws IOException {
        var entries = new TreeMap<String, Entry>();
        int at = 0;
        for (; at < lines.size() && !lines.get(at).equals(LISTS); at++) {
            entry(lines.get(at), entries);
        }
        String path = null;
        var list = new ArrayList<String>();
        for (var line : lines.subList(Math.min(at + 1, lines.size()), lines.size())) {
            if (line.startsWith("# file: ")) {
                path = relative(line.substring("# file: ".length()));
            } else if (line.isEmpty() && path != null) {
                var of = entries.get(path);
                if (of == null) {
                    throw new IOException("an access control list of an unknown file: " + path);
                }
                entries.put(path, of.withList(list));
                path = null;
                list.clear();
            } else if (!line.startsWith("#") && !line.isEmpty()) {
                list.add(line);
            }
        }
        return new Snapshot(entries);
    }

    private static void entry(String line, Map<String, Entry> into) throws IOException {
        var fields = line.split("\\|", 10);
        if (fields.length < 10) {
            throw new IOException("not the line of a file: " + line);
        }
        var name = fields[9];
        int arrow = name.indexOf(" -> ");
        try {
            into.put(
                    relative(arrow < 0 ? name : name.substring(0, arrow)),
                    new Entry(
                            Integer.parseInt(fields[0], 16),
                            Long.parseLong(fields[1]),
                            Long.parseLong(fields[2]),
                            Long.parseLong(fields[3]),
                            Integer.parseInt(fields[4]),
                            fields[5],
                            new BigDecimal(fields[6]),
                            new BigDecimal(fields[7]),
                            new BigDecimal(fields[8]),
                            arrow < 0 ? "" : name.substring(arrow + 4),
                            List.of()));
        } catch (NumberFormatException wrong) {
            throw new IOException("not the line of a file: " + line, wrong);
        }
    }

    private static String relative(String path) {
        return path.startsWith("./") ? path.substring(2) : path;
    }

    /** Returns the file at a path, or null. */
    Entry entry(String path) {
        return entries.get(path);
    }

    /**
     * Returns the files at or below a directory, by path relative to it; the directory itself is
     * {@code .}.
     */
    NavigableMap<String, Entry> below(String directory) {
        var found = new TreeMap<String, Entry>();
        var itself = entries.get(directory);
        if (itself != null) {
            found.put(".", itself);
        }
        // '0' is the character after '/'.
        entries.subMap(directory + "/", directory + "0")
                .forEach((path, entry) -> found.put(path.substring(directory.length() + 1), entry));
        return found;
    }

    /** Returns the newest ctime of all files. */
    BigDecimal newest() {
        return entries.values().stream()
                .map(Entry::changed)
                .max(BigDecimal::compareTo)
                .orElse(BigDecimal.ZERO);
    }
}
