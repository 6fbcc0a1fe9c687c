package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.pattern.NamePattern;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;
import java.util.List;

/**
 * Selects files of a tree, or leaves them out, as {@code --include} and {@code --exclude} of {@code
 * rsync} do. The first rule that matches a file decides. Pure functions.
 *
 * @param includes whether the files that match are selected
 * @param pattern without the slashes at its start and end
 * @param part of a path that has to match
 * @param isDirectory whether it matches directories alone
 * @param hasAll whether it ends with three stars: {@code a/***} matches {@code a}, and all below
 */
record FilterRule(
        boolean includes, NamePattern pattern, Part part, boolean isDirectory, boolean hasAll) {
    private static final String ALL = "***";
    private static final String CROSSING = "**";

    /** What part of a path has to match. */
    enum Part {
        /** The last name. */
        NAME,
        /** As many of the last names as the pattern has. */
        LAST_NAMES,
        /** Some of the last names: the pattern has two stars, which match any number. */
        SOME_LAST_NAMES,
        /** The path, with a slash at its start. */
        PATH_AFTER_SLASH,
        /** The path. */
        PATH
    }

    /**
     * Parses a rule.
     *
     * @param text as {@link RawText}
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    static FilterRule parse(boolean includes, String text) {
        boolean isDirectory = text.length() > 1 && text.endsWith("/");
        var bare = isDirectory ? text.substring(0, text.length() - 1) : text;
        Part part;
        if (bare.startsWith("/")) {
            part = Part.PATH;
            bare = bare.substring(1);
        } else if (bare.startsWith(CROSSING)) {
            part = Part.PATH_AFTER_SLASH;
        } else {
            boolean hasSeveral = bare.contains("/");
            part =
                    bare.contains(CROSSING)
                            ? Part.SOME_LAST_NAMES
                            : hasSeveral ? Part.LAST_NAMES : Part.NAME;
        }
        return new FilterRule(
                includes, NamePattern.parse(bare), part, isDirectory, bare.endsWith(ALL));
    }

    /**
     * Returns whether the rules select a file.
     *
     * @param path from the top of the tree, without a slash at its start
     */
    static boolean selects(List<FilterRule> rules, PathName path, FileType type) {
        for (var rule : rules) {
            if (rule.matches(path, type)) {
                return rule.includes;
            }
        }
        return true;
    }

    /** Returns whether a file matches. */
    boolean matches(PathName path, FileType type) {
        boolean isDirectoryNow = type == FileType.DIRECTORY;
        if (isDirectory && !isDirectoryNow) {
            return false;
        }
        var names = path.names();
        var end = hasAll && isDirectoryNow ? "/" : "";
        return switch (part) {
            case NAME -> pattern.matches(names.getLast());
            case LAST_NAMES -> {
                int from = names.size() - pattern.slashes() - 1;
                yield from >= 0 && pattern.matches(joined(names.subList(from, names.size())));
            }
            case SOME_LAST_NAMES -> pattern.matchesEnd(joined(names) + end);
            case PATH_AFTER_SLASH -> pattern.matches("/" + joined(names) + end);
            case PATH -> pattern.matches(joined(names) + end);
        };
    }

    private static String joined(List<FileName> names) {
        var text = new StringBuilder();
        for (var each : names) {
            text.append(text.isEmpty() ? "" : "/").append(RawText.of(each.bytes()));
        }
        return text.toString();
    }
}
