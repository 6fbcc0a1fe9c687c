package io.github.rpcrdma4j.cli.files;

import java.util.ArrayList;
import java.util.List;

/**
 * A change of permissions as {@code chmod} takes it: octal, such as {@code 640}, or symbolic, such
 * as {@code u+x,go-w} (POSIX, chmod). Immutable.
 */
final class ModeChange {
    private static final int ALL = 0777;
    private static final int SET_USER_ID = 04000;
    private static final int SET_GROUP_ID = 02000;
    private static final int STICKY = 01000;
    private static final int EXECUTE = 0111;
    private static final int OCTAL = 8;

    /** With more digits, an octal mode also clears the set-ID bits of directories. */
    private static final int KEEPING_DIGITS = 4;

    /** One step of a change. */
    private interface Step {
        int apply(int mode, boolean isDirectory);
    }

    private final List<Step> steps = new ArrayList<>();

    private ModeChange() {}

    /**
     * Parses a change.
     *
     * @param umask bits that a symbolic change without u, g, o or a leaves alone
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    static ModeChange parse(String text, int umask) {
        var change = new ModeChange();
        if (text.matches("[0-7]{1,5}")) {
            int octal = Integer.parseInt(text, OCTAL);
            if (octal > (ALL | SET_USER_ID | SET_GROUP_ID | STICKY)) {
                throw malformed(text);
            }
            boolean keeps = text.length() <= KEEPING_DIGITS;
            change.steps.add(
                    (mode, isDirectory) ->
                            isDirectory && keeps
                                    ? octal | mode & (SET_USER_ID | SET_GROUP_ID)
                                    : octal);
            return change;
        }
        for (var clause : text.split(",", -1)) {
            if (!clause.matches("[ugoa]*([-+=]([rwxXst]*|[ugo]))+")) {
                throw malformed(text);
            }
            change.addClause(clause, umask);
        }
        return change;
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(
                "a mode is octal, such as 640, or symbolic, such as u+x,go-w; not " + text);
    }

    private void addClause(String clause, int umask) {
        int at = 0;
        int who = 0;
        for (; "ugoa".indexOf(clause.charAt(at)) >= 0; at++) {
            who |= bits(clause.charAt(at));
        }
        // Bits of the umask stay as they are if nothing says whose bits are meant.
        int allowed = who == 0 ? ALL & ~umask : who;
        int whose = who == 0 ? ALL : who;
        while (at < clause.length()) {
            char operator = clause.charAt(at++);
            int end = at;
            while (end < clause.length() && "-+=".indexOf(clause.charAt(end)) < 0) {
                end++;
            }
            var letters = clause.substring(at, end);
            steps.add(
                    (mode, isDirectory) -> {
                        int bits = bits(letters, mode, whose, isDirectory);
                        bits &= allowed | SET_USER_ID | SET_GROUP_ID | STICKY;
                        return switch (operator) {
                            case '+' -> mode | bits;
                            case '-' -> mode & ~bits;
                            default -> mode & ~cleared(whose, isDirectory) | bits;
                        };
                    });
            at = end;
        }
    }

    /** Returns the bits that {@code =} clears before it sets others. */
    private static int cleared(int whose, boolean isDirectory) {
        int setIds =
                ((whose & 0700) == 0 ? 0 : SET_USER_ID) | ((whose & 0070) == 0 ? 0 : SET_GROUP_ID);
        return whose | (isDirectory ? 0 : setIds) | ((whose & 0007) == 0 ? 0 : STICKY);
    }

    private static int bits(char who) {
        return switch (who) {
            case 'u' -> 0700;
            case 'g' -> 0070;
            case 'o' -> 0007;
            default -> ALL;
        };
    }

    private static int bits(String letters, int mode, int whose, boolean isDirectory) {
        int bits = 0;
        for (char letter : letters.toCharArray()) {
            bits |=
                    switch (letter) {
                        case 'r' -> 0444 & whose;
                        case 'w' -> 0222 & whose;
                        case 'x' -> EXECUTE & whose;
                        case 'X' -> isDirectory || (mode & EXECUTE) != 0 ? EXECUTE & whose : 0;
                        case 's' ->
                                ((whose & 0700) == 0 ? 0 : SET_USER_ID)
                                        | ((whose & 0070) == 0 ? 0 : SET_GROUP_ID);
                        case 't' -> (whose & 0007) == 0 ? 0 : STICKY;
                        // The rights that one of them has now.
                        case 'u' -> (mode >> 6 & 7) * EXECUTE & whose;
                        case 'g' -> (mode >> 3 & 7) * EXECUTE & whose;
                        default -> (mode & 7) * EXECUTE & whose;
                    };
        }
        return bits;
    }

    /** Returns the changed mode of a file. */
    int apply(int mode, boolean isDirectory) {
        int changed = mode;
        for (var step : steps) {
            changed = step.apply(changed, isDirectory);
        }
        return changed;
    }
}
