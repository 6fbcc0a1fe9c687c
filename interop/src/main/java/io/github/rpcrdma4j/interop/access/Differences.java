package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.interop.access.Snapshot.Entry;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * Describes in words how a call changed the files of its case.
 *
 * @param newest the newest ctime of any file before the first call
 * @param withAccess whether a changed access time counts
 */
record Differences(BigDecimal newest, boolean withAccess) {
    private static final BigDecimal GIVEN = new BigDecimal("1200000000.123456789");
    private static final BigDecimal OLD = BigDecimal.valueOf(Preparation.OLD_SECONDS);

    /** Returns one text for each file that was made, changed or removed, sorted by path. */
    List<String> between(NavigableMap<String, Entry> before, NavigableMap<String, Entry> after) {
        var paths = new TreeSet<>(before.keySet());
        paths.addAll(after.keySet());
        var words = new ArrayList<String>();
        for (var path : paths) {
            var was = before.get(path);
            var is = after.get(path);
            if (was == null) {
                words.add("+" + path + " " + made(is));
            } else if (is == null) {
                words.add("-" + path);
            } else if (was.type() != is.type()) {
                words.add("-" + path + ", +" + path + " " + made(is));
            } else {
                var changed = changed(was, is);
                if (!changed.isEmpty()) {
                    words.add(path + ": " + changed);
                }
            }
        }
        return words;
    }

    private String made(Entry file) {
        var words = new StringBuilder();
        words.append(file.letter()).append(' ').append(owner(file));
        words.append(" %04o".formatted(file.mode()));
        if (file.hasSize()) {
            words.append(" size=").append(file.size());
        }
        if (file.hasLinks() && file.links() != 1) {
            words.append(" links=").append(file.links());
        }
        if (file.letter() == 'b' || file.letter() == 'c') {
            words.append(" device=").append(file.device());
        }
        if (!file.target().isEmpty()) {
            words.append(" ->");
            words.append(
                    file.target().length() > 20 ? "*" + file.target().length() : file.target());
        }
        if (!file.list().isEmpty()) {
            words.append(' ').append(file.list());
        }
        if (file.modified().compareTo(GIVEN) == 0) {
            words.append(" mtime=given");
        }
        if (file.accessed().compareTo(GIVEN) == 0) {
            words.append(" atime=given");
        }
        return words.toString();
    }

    private String changed(Entry was, Entry is) {
        var words = new StringJoiner(", ");
        if (was.uid() != is.uid() || was.gid() != is.gid()) {
            words.add(owner(was) + ">" + owner(is));
        }
        if (was.mode() != is.mode()) {
            words.add("%04o>%04o".formatted(was.mode(), is.mode()));
        }
        if (was.hasSize() && was.size() != is.size()) {
            words.add("size %d>%d".formatted(was.size(), is.size()));
        }
        if (was.hasLinks() && was.links() != is.links()) {
            words.add("links %d>%d".formatted(was.links(), is.links()));
        }
        if (!was.target().equals(is.target())) {
            words.add("->" + is.target());
        }
        if (!was.list().equals(is.list())) {
            words.add(is.list().toString());
        }
        if (withAccess && !readBySnapshot(is) || is.accessed().compareTo(GIVEN) == 0) {
            time(words, "atime", was.accessed(), is.accessed());
        }
        time(words, "mtime", was.modified(), is.modified());
        if (was.changed().compareTo(is.changed()) != 0) {
            words.add("ctime");
        }
        return words.toString();
    }

    /**
     * Returns whether the snapshot itself reads the file: it lists directories and shows the text
     * of links.
     */
    private static boolean readBySnapshot(Entry file) {
        return file.letter() == 'd' || file.letter() == 'l';
    }

    private void time(StringJoiner words, String name, BigDecimal was, BigDecimal is) {
        if (was.compareTo(is) == 0) {
            return;
        }
        if (is.compareTo(GIVEN) == 0) {
            words.add(name + "=given");
        } else if (is.compareTo(newest) >= 0) {
            words.add(name);
        } else if (is.compareTo(OLD) == 0) {
            words.add(name + "=old");
        } else {
            words.add(name + "=" + is);
        }
    }

    private static String owner(Entry file) {
        return file.uid() + ":" + file.gid();
    }
}
