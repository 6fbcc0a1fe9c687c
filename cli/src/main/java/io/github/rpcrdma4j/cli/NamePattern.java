package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import java.nio.file.FileSystems;
import java.nio.file.PathMatcher;
import java.util.regex.PatternSyntaxException;

/**
 * A pattern of names, as shells have them: {@code *}, {@code ?}, {@code [a-z]}, {@code {a,b}}, and
 * in paths {@code **} for any directories. Names are bytes; a byte that is no character matches
 * like a character. Immutable.
 */
final class NamePattern {
    private final PathMatcher matcher;

    private NamePattern(PathMatcher matcher) {
        this.matcher = matcher;
    }

    /**
     * Parses a pattern.
     *
     * @param text as {@link RawText}
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    static NamePattern parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("a pattern is not empty");
        }
        // Java decodes names by the character set of the locale; the pattern must be decoded alike.
        var decoded = LocalNames.path(RawText.bytes(text)).toString();
        try {
            return new NamePattern(FileSystems.getDefault().getPathMatcher("glob:" + decoded));
        } catch (PatternSyntaxException malformed) {
            throw new IllegalArgumentException(
                    "the pattern " + text + " is malformed: " + malformed.getDescription(),
                    malformed);
        }
    }

    /** Returns whether a name matches. */
    boolean matches(FileName name) {
        return matcher.matches(LocalNames.path(name.bytes()));
    }

    /** Returns whether a path matches as a whole. */
    boolean matches(PathName path) {
        return matcher.matches(LocalNames.path(path.bytes()));
    }
}
