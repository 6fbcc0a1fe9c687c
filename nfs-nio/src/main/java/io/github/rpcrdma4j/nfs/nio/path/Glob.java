package io.github.rpcrdma4j.nfs.nio.path;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Translates a glob of {@link java.nio.file.FileSystem#getPathMatcher} to a regular expression over
 * whole paths. Used by one thread, once.
 */
public final class Glob {
    private static final String OF_REGEX = ".^$+{[]|()\\";
    private static final String ESCAPED_IN_RANGE = "[&^\\";

    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int next;
    private boolean isInGroup;

    private Glob(String glob) {
        this.glob = glob;
    }

    /**
     * Returns the pattern of a glob.
     *
     * @throws PatternSyntaxException if it is malformed
     */
    public static Pattern pattern(String glob) {
        return Pattern.compile(new Glob(glob).translated(), Pattern.DOTALL);
    }

    private PatternSyntaxException malformed(String why) {
        return new PatternSyntaxException(why, glob, next - 1);
    }

    private String translated() {
        while (next < glob.length()) {
            translate(glob.charAt(next++));
        }
        if (isInGroup) {
            throw malformed("a group has no end");
        }
        return regex.toString();
    }

    private void translate(char character) {
        switch (character) {
            case '\\' -> {
                if (next == glob.length()) {
                    throw malformed("a backslash has nothing behind it");
                }
                plain(glob.charAt(next++));
            }
            case '*' -> {
                boolean isDouble = next < glob.length() && glob.charAt(next) == '*';
                regex.append(isDouble ? ".*" : "[^/]*");
                next += isDouble ? 1 : 0;
            }
            case '?' -> regex.append("[^/]");
            case '[' -> range();
            case '{' -> {
                if (isInGroup) {
                    throw malformed("a group is in a group");
                }
                isInGroup = true;
                regex.append("(?:(?:");
            }
            case '}' -> {
                regex.append(isInGroup ? "))" : "}");
                isInGroup = false;
            }
            case ',' -> regex.append(isInGroup ? ")|(?:" : ",");
            default -> plain(character);
        }
    }

    private void plain(char character) {
        if (OF_REGEX.indexOf(character) >= 0 || character == '*' || character == '?') {
            regex.append('\\');
        }
        regex.append(character);
    }

    /** Translates a range of characters, of which none is a slash. */
    private void range() {
        regex.append("[[^/]&&[");
        if (next < glob.length() && glob.charAt(next) == '!') {
            regex.append('^');
            next++;
        }
        if (next < glob.length() && glob.charAt(next) == '-') {
            regex.append("\\-");
            next++;
        }
        int first = -1;
        boolean hasEnded = false;
        while (next < glob.length() && !hasEnded) {
            char character = glob.charAt(next++);
            hasEnded = character == ']';
            if (!hasEnded) {
                first = inRange(character, first);
            }
        }
        if (!hasEnded) {
            throw malformed("a range of characters has no end");
        }
        regex.append("]]");
    }

    /**
     * Translates a character in a range.
     *
     * @param first the character before, if a range can begin with it; else -1
     * @return the same for the next character
     */
    private int inRange(char character, int first) {
        if (character == '/') {
            throw malformed("a slash is in a range of characters");
        }
        boolean isRange = character == '-' && first >= 0 && next < glob.length();
        if (!isRange) {
            member(character);
            return character;
        }
        char last = glob.charAt(next);
        if (last == ']') {
            regex.append("\\-");
            return -1;
        }
        if (last < first) {
            throw malformed("a range of characters ends before it begins");
        }
        next++;
        regex.append('-');
        member(last);
        return -1;
    }

    private void member(char character) {
        if (ESCAPED_IN_RANGE.indexOf(character) >= 0 || character == '-') {
            regex.append('\\');
        }
        regex.append(character);
    }
}
