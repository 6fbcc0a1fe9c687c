package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.UnixPaths;
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
 * Converts names and texts of links to paths of a file system, and back. On Unix-like systems names
 * are bytes. Elsewhere they are text in UTF-8, and bytes that are not UTF-8 have no path.
 */
final class NioNames {
    private static final String SLASH = "/";
    private static final String BACKSLASH = "\\";

    /** Names that Windows interprets differently, or changes. */
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

    /** Returns the path of a name, relative to its directory. */
    Path path(FileName name, String what) throws LocalException {
        if (areBytes) {
            return UnixPaths.path(name.bytes());
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
            // The file system does not accept the name.
        }
        throw new LocalException(what, Reason.BAD_NAME);
    }

    private boolean isWindows() {
        return BACKSLASH.equals(system.getSeparator());
    }

    /** Returns the name of a file in a listing. */
    FileName name(Path name, String what) throws LocalException {
        if (areBytes) {
            return UnixNames.name(name);
        }
        var text = name.toString();
        // Some archives list directories with a separator at the end.
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

    /** Returns the target path of a new link. */
    Path target(PathName text, String what) throws LocalException {
        if (text.length() == 0 || text.contains('\0')) {
            throw new LocalException(what, Reason.BAD_NAME, "no link can have such a text");
        }
        if (areBytes) {
            return UnixPaths.path(text.bytes());
        }
        var words = text.toString();
        if (text.isUtf8() && !(isWindows() && text.contains('\\'))) {
            try {
                return system.getPath(words.replace(SLASH, system.getSeparator()));
            } catch (InvalidPathException _) {
                // The file system does not accept the path.
            }
        }
        throw new LocalException(what, Reason.BAD_NAME, "no link can have such a text here");
    }

    /** Returns the text of a link, with slashes as separators. */
    PathName text(Path target, String what) throws LocalException {
        if (areBytes) {
            return new PathName(UnixPaths.bytes(target));
        }
        try {
            return PathName.of(target.toString().replace(system.getSeparator(), SLASH));
        } catch (IllegalArgumentException _) {
            throw new LocalException(what, Reason.BAD_NAME, "the target of the link is not text");
        }
    }
}
