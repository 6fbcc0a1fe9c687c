package io.github.rpcrdma4j.cli.files;

import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Where a copy goes, as the forms of its source and its target say it. {@code put} and {@code get}
 * follow {@code cp}, and {@code sync} follows {@code rsync}. Where the two read a slash at the end
 * of a name differently, {@code put} and {@code get} refuse. Pure functions.
 *
 * <pre>
 *                        target: a directory      nothing there       nothing there, slash at its end
 *   source              put, get    sync        put, get    sync        put, get    sync
 *   file                in it       in it       becomes it  becomes it  refused     made, in it
 *   directory           in it       in it       becomes it  made, in it refused     made, in it
 *   directory/          refused     contents    becomes it  becomes it  becomes it  becomes it
 *   directory/.         contents    contents    becomes it  becomes it  becomes it  becomes it
 *   empty directory     in it       in it       becomes it  becomes it  refused     made, in it
 * </pre>
 *
 * <p>A file replaces a target that is no directory; a directory does not.
 */
final class Destination {
    private static final Pattern SLASHES = Pattern.compile("/+\\z");

    /** The program whose rules a command follows. */
    enum Rules {
        /** Those of {@code cp}, for {@code put} and {@code get}. */
        CP,
        /** Those of {@code rsync}, for {@code sync}. */
        RSYNC
    }

    /** How the source is written. */
    enum End {
        /** With its name at the end. */
        NAME,
        /** With a slash behind its name. */
        SLASH,
        /** With "." or ".." at the end, which are no names. */
        DOTS;

        /** "/" has no name at its end either. */
        private static final Pattern NAMELESS =
                Pattern.compile("/*|(?:.*/)?\\.{1,2}/*", Pattern.DOTALL);

        /** Returns the end of a local path, or of the path in a URL. */
        public static End of(String path) {
            if (NAMELESS.matcher(path).matches()) {
                return DOTS;
            }
            return path.endsWith("/") ? SLASH : NAME;
        }
    }

    /** What the source is. A link is followed if its name has a slash behind it. */
    enum Source {
        /** A file of any type but a directory. */
        FILE,
        DIRECTORY,
        EMPTY_DIRECTORY
    }

    /** What is at the target. Links are followed. */
    enum There {
        NOTHING,
        DIRECTORY,
        /** A file of any type but a directory. */
        FILE
    }

    /** What happens. */
    enum Plan {
        /** The target becomes the copy. If it is a directory, it receives what is in the source. */
        BECOMES,
        /** The target is a directory, and receives the source under the name of the source. */
        RECEIVES,
        /** The target is made, a directory, and receives the source under its name. */
        IS_MADE,
        /** Refused: the source has a slash at its end, but is no directory. */
        SOURCE_IS_FILE,
        /** Refused: the target has to be a directory, and is none. */
        TARGET_IS_FILE,
        /** Refused: the target has a slash at its end, and is not there. */
        TARGET_IS_MISSING,
        /** Refused: {@code cp} and {@code rsync} differ about the slash behind the source. */
        SOURCE_IS_UNCLEAR,
        /** Refused: {@code cp} and {@code rsync} differ about the slash behind the target. */
        TARGET_IS_UNCLEAR
    }

    private Destination() {}

    /**
     * Decides where a copy goes.
     *
     * @param hasSlash whether the target is written with a slash at its end
     */
    public static Plan of(Rules rules, End end, Source source, There there, boolean hasSlash) {
        return source == Source.FILE
                ? ofFile(rules, end, there, hasSlash)
                : ofDirectory(rules, end, source, there, hasSlash);
    }

    /**
     * Throws if a plan is a refusal.
     *
     * @param source as the user wrote it
     * @param target as the user wrote it
     */
    static void require(Plan plan, String source, String target) throws IOException {
        switch (plan) {
            case BECOMES, RECEIVES, IS_MADE -> {}
            case SOURCE_IS_FILE ->
                    throw new IOException("cannot read " + source + ": not a directory");
            case TARGET_IS_FILE ->
                    throw new IOException("cannot write " + target + ": not a directory");
            case TARGET_IS_MISSING ->
                    throw new IOException("cannot write " + target + ": no such directory");
            case SOURCE_IS_UNCLEAR -> {
                var bare = SLASHES.matcher(source).replaceFirst("");
                throw new IOException(
                        source
                                + ": the slash at its end means different things to cp and to"
                                + " rsync: write "
                                + bare
                                + " to copy the directory itself, or "
                                + bare
                                + "/. to copy what is in it");
            }
            case TARGET_IS_UNCLEAR -> {
                var bare = SLASHES.matcher(target).replaceFirst("");
                throw new IOException(
                        target
                                + ": it is not there, and the slash at its end means different"
                                + " things to cp and to rsync: write "
                                + bare
                                + " to make it the copy, or make the directory first");
            }
        }
    }

    private static Plan ofFile(Rules rules, End end, There there, boolean hasSlash) {
        if (end != End.NAME) {
            return Plan.SOURCE_IS_FILE;
        }
        return switch (there) {
            case DIRECTORY -> Plan.RECEIVES;
            case FILE -> hasSlash ? Plan.TARGET_IS_FILE : Plan.BECOMES;
            case NOTHING -> {
                var missing = rules == Rules.CP ? Plan.TARGET_IS_MISSING : Plan.IS_MADE;
                yield hasSlash ? missing : Plan.BECOMES;
            }
        };
    }

    private static Plan ofDirectory(
            Rules rules, End end, Source source, There there, boolean hasSlash) {
        return switch (there) {
            case FILE -> Plan.TARGET_IS_FILE;
            case DIRECTORY ->
                    switch (end) {
                        case NAME -> Plan.RECEIVES;
                        case DOTS -> Plan.BECOMES;
                        case SLASH -> rules == Rules.CP ? Plan.SOURCE_IS_UNCLEAR : Plan.BECOMES;
                    };
            case NOTHING -> {
                if (end != End.NAME) {
                    yield Plan.BECOMES;
                }
                if (hasSlash) {
                    yield rules == Rules.CP ? Plan.TARGET_IS_UNCLEAR : Plan.IS_MADE;
                }
                // rsync makes a target for what is in the source, and there is nothing in it.
                boolean becomes = rules == Rules.CP || source == Source.EMPTY_DIRECTORY;
                yield becomes ? Plan.BECOMES : Plan.IS_MADE;
            }
        };
    }
}
