package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Names and texts of links as paths of a file system. On an operating system of the Unix kind they
 * are bytes; elsewhere they are text, in UTF-8, and what is no text has no path.
 */
final class NioNames {
    private static final String SLASH = "/";
    private static final String BACKSLASH = "\\";

    /** What Windows takes for something else, or makes another name of. */
    private static final Pattern NOT_OF_WINDOWS =
            Pattern.compile(
                    "(?s).*[<>:\"|?*\\\\\\x00-\\x1f].*|.*[. ]"
                            + "|(?i)(CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|(COM|LPT)[0-9¹²³]) *([.].*)?");

    private final FileSystem system;
    private final boolean areBytes;

    NioNames(FileSystem system) {
        this.system = system;
        this.areBytes =
                system.equals(FileSystems.getDefault()) && SLASH.equals(system.getSeparator());
    }

    /** The path of a name, to be resolved in its directory. */
    Path path(FileName name, String what) throws LocalException {
        if (areBytes) {
            return UnixNames.path(name.bytes());
        }
        var text = name.toString();
        if (!name.isUtf8() || isWindows() && NOT_OF_WINDOWS.matcher(text).matches()) {
            throw new LocalException(what, Reason.BAD_NAME);
        }
        try {
            var path = system.getPath(text);
            if (path.getNameCount() == 1 && !path.isAbsolute() && path.toString().equals(text)) {
                return path;
            }
        } catch (InvalidPathException _) {
            // It is no name there.
        }
        throw new LocalException(what, Reason.BAD_NAME);
    }

    private boolean isWindows() {
        return BACKSLASH.equals(system.getSeparator());
    }

    /** The name of a file in a listing. */
    FileName name(Path name, String what) throws LocalException {
        if (areBytes) {
            return UnixNames.name(name);
        }
        var text = name.toString();
        // Directories of some archives have it.
        if (text.endsWith(system.getSeparator())) {
            text = text.substring(0, text.length() - 1);
        }
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var found = new FileName(bytes);
        if (!text.equals(new String(bytes, StandardCharsets.UTF_8)) || !found.isSingle()) {
            throw new LocalException(
                    what, Reason.BAD_NAME, "a name in it is not text: " + found.escaped());
        }
        return found;
    }

    /** The path that a link is to have. */
    Path target(PathName text, String what) throws LocalException {
        if (text.length() == 0 || text.contains('\0')) {
            throw new LocalException(what, Reason.BAD_NAME, "no link can have such a text");
        }
        if (areBytes) {
            return UnixNames.path(text.bytes());
        }
        var words = text.toString();
        if (text.isUtf8() && !(isWindows() && text.contains('\\'))) {
            try {
                return system.getPath(words.replace(SLASH, system.getSeparator()));
            } catch (InvalidPathException _) {
                // It is no path there.
            }
        }
        throw new LocalException(what, Reason.BAD_NAME, "no link can have such a text here");
    }

    /** The text of a link, with slashes. */
    PathName text(Path target, String what) throws LocalException {
        if (areBytes) {
            return new PathName(UnixNames.bytes(target));
        }
        try {
            return PathName.of(target.toString().replace(system.getSeparator(), SLASH));
        } catch (IllegalArgumentException _) {
            throw new LocalException(what, Reason.BAD_NAME, "the link leads to what is not text");
        }
    }
}
