package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.pattern.NamePattern;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A URL whose names may be patterns, as a shell has them: {@code rdma://host/export/*.jpg}. A
 * percent-encoded character stands for itself. Immutable.
 *
 * <p>Tests: {@code PatternsInUrlsTest}.
 */
public final class UrlPattern {
    private static final PathName ROOT = PathName.of("/");

    private static final Pattern SLASH = Pattern.compile("/|%2[Ff]");

    private static final Pattern ENCODED =
            Pattern.compile("(?:%[0-9A-Fa-f]{2})+|[^%]+", Pattern.DOTALL);

    /** Some names of the path. */
    private sealed interface Part {
        /** Returns the names as the user wrote them, without backslashes that have a meaning. */
        List<FileName> names();

        /** Names as they are. */
        record Names(List<FileName> names) implements Part {}

        /**
         * The names of a directory that match.
         *
         * @param findsHidden whether a dot at their start is written in the pattern
         */
        record Matching(List<FileName> names, NamePattern pattern, boolean findsHidden)
                implements Part {
            boolean matches(FileName name) {
                return (findsHidden || name.bytes()[0] != '.') && pattern.matches(name);
            }
        }
    }

    /** What the user gave. */
    private final String text;

    /** The URL if no name is a pattern. */
    private final NfsUrl url;

    /** The directory above the first pattern. */
    private final PathName top;

    /** The path below that; empty if no name is a pattern. */
    private final List<Part> parts;

    /** No file matches. */
    public static final class NoMatchException extends IOException {
        private static final long serialVersionUID = 1;

        NoMatchException(String message) {
            super(message);
        }
    }

    private UrlPattern(String text, NfsUrl url, PathName top, List<Part> parts) {
        this.text = text;
        this.url = url;
        this.top = top;
        this.parts = parts;
    }

    /** Returns the pattern that matches one URL alone. */
    public static UrlPattern of(NfsUrl url) {
        return new UrlPattern(url.toString(), url, url.path(), List.of());
    }

    /**
     * Parses a URL.
     *
     * @param text as {@link RawText}
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public static UrlPattern parse(String text) {
        var url = NfsUrl.parse(text);
        var names =
                Arrays.stream(SLASH.split(text.substring(NfsUrl.slash(text))))
                        .filter(each -> !each.isEmpty())
                        .toList();
        if (names.stream().noneMatch(NamePattern::mayBePattern)) {
            return of(url);
        }
        var parts = names.stream().map(UrlPattern::part).toList();
        int first = 0;
        while (first < parts.size() && parts.get(first) instanceof Part.Names) {
            first++;
        }
        var above = resolve(ROOT, parts.subList(0, first));
        var below = parts.subList(first, parts.size());
        var named = url.withPath(resolve(above, below), url.isDirectory());
        return new UrlPattern(text, named, above, below);
    }

    private static PathName resolve(PathName directory, List<Part> parts) {
        var path = directory;
        for (var part : parts) {
            for (var name : part.names()) {
                path = path.resolve(name);
            }
        }
        return path;
    }

    private static Part part(String name) {
        if (!NamePattern.mayBePattern(name)) {
            return new Part.Names(decoded(name).names());
        }
        var text = new StringBuilder();
        var matcher = ENCODED.matcher(name);
        while (matcher.find()) {
            if (matcher.group().startsWith("%")) {
                RawText.of(decoded(matcher.group()).bytes())
                        .codePoints()
                        .skip(1)
                        .forEach(each -> text.append('\\').appendCodePoint(each));
            } else {
                text.append(matcher.group());
            }
        }
        var names = List.of(new FileName(RawText.bytes(NamePattern.unescaped(text.toString()))));
        var pattern = NamePattern.parseShell(text.toString());
        if (pattern.isText()) {
            return new Part.Names(names);
        }
        boolean findsHidden = names.getFirst().bytes()[0] == '.';
        return new Part.Matching(names, pattern, findsHidden);
    }

    /** Returns a part of the path as bytes, with a slash at its start. */
    private static PathName decoded(String part) {
        return NfsUrl.parse("rdma://host/" + part).path();
    }

    /** Returns whether a name is a pattern, so that several files may match. */
    public boolean isPattern() {
        return !parts.isEmpty();
    }

    /** Returns the URL if no name is a pattern; otherwise, one of the same server. */
    public NfsUrl url() {
        return url;
    }

    /**
     * Returns the URLs of the files that match, sorted by their bytes, name by name. As with a
     * shell, the URL itself counts if no other file matches.
     *
     * @param failed receives what hides files that may match, such as a directory that the caller
     *     may not list
     * @throws NoMatchException if there is none
     */
    public List<NfsUrl> expand(Mounts mounts, Consumer<IOException> failed)
            throws IOException, InterruptedException {
        if (!isPattern()) {
            return List.of(url);
        }
        // The server decides how many names there are.
        var memory = new NameMemory();
        var found = matches(mounts, top, parts.getFirst(), parts.size() == 1, memory.share());
        for (int i = 1; i < parts.size(); i++) {
            var part = parts.get(i);
            boolean isLast = i == parts.size() - 1;
            var next = new ArrayList<PathName>();
            for (var path : found) {
                next.addAll(
                        orNone(
                                () -> matches(mounts, path, part, isLast, memory.share()),
                                List.of(),
                                failed));
            }
            found = next;
        }
        var urls = new ArrayList<NfsUrl>();
        boolean isSure = parts.getLast() instanceof Part.Matching && !url.isDirectory();
        for (var path : found) {
            var each = url(path, url.isDirectory());
            if (isSure || orNone(() -> isThere(mounts, each), false, failed)) {
                urls.add(each);
            }
        }
        if (urls.isEmpty() && isThere(mounts, url)) {
            return List.of(url);
        }
        if (urls.isEmpty()) {
            throw new NoMatchException("no file matches " + text);
        }
        return urls;
    }

    private NfsUrl url(PathName path, boolean isDirectory) {
        return url.withPath(path, isDirectory);
    }

    /** Asks the server something. */
    private interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    /** Asks about a path that a pattern has matched so far, but which may lead nowhere. */
    private static <T> T orNone(Question<T> question, T none, Consumer<IOException> failed)
            throws IOException, InterruptedException {
        try {
            return question.ask();
        } catch (RpcException ofServer) {
            throw ofServer;
        } catch (NfsException ofOne) {
            switch (ofOne.status()) {
                // Nothing is there, or links lead out of the export or to each other.
                case NOENT, NOTDIR, XDEV, INVAL -> {}
                default -> failed.accept(ofOne);
            }
            return none;
        } catch (IOException ofOne) {
            failed.accept(ofOne);
            return none;
        }
    }

    /**
     * Returns the paths of the files in a directory that match.
     *
     * @param isLast whether files that are no directories count
     * @param memory of the names of the directory, which the paths keep
     * @return none if it is no directory
     */
    private List<PathName> matches(
            Mounts mounts, PathName directory, Part part, boolean isLast, NameMemory.Share memory)
            throws IOException, InterruptedException {
        return switch (part) {
            case Part.Names names -> List.of(resolve(directory, List.of(names)));
            case Part.Matching matching -> {
                var mount = mounts.of(url(directory, true));
                var file = mount.target(directory).file();
                if (file.isEmpty() || !file.get().attributes().isDirectory()) {
                    yield List.of();
                }
                yield names(mount, file.get().handle(), directory, isLast, memory)
                        .filter(matching::matches)
                        .sorted(Comparator.comparing(FileName::bytes, Arrays::compareUnsigned))
                        .map(directory::resolve)
                        .toList();
            }
        };
    }

    private static Stream<FileName> names(
            NfsMount mount,
            FileHandle directory,
            PathName path,
            boolean isLast,
            NameMemory.Share memory)
            throws IOException, InterruptedException {
        var shown = path.escaped();
        return isLast
                ? mount.names(directory, shown, memory).stream()
                : mount.list(directory, Wanted.LINES, shown, memory).stream()
                        .filter(UrlPattern::mayLead)
                        .map(NamedFile::name);
    }

    private static boolean mayLead(NamedFile file) {
        return file.attributes().isDirectory()
                || file.attributes().type() == FileType.SYMBOLIC_LINK;
    }

    /** Returns whether a file exists; with a slash at the end of its URL, a directory. */
    private static boolean isThere(Mounts mounts, NfsUrl url)
            throws IOException, InterruptedException {
        var mount = mounts.of(url);
        try {
            var file = url.isDirectory() ? mount.target(url.path()).file() : mount.find(url.path());
            return file.filter(each -> !url.isDirectory() || each.attributes().isDirectory())
                    .isPresent();
        } catch (NfsException missing) {
            if (missing.status() == Status.NOENT || missing.status() == Status.NOTDIR) {
                return false;
            }
            throw missing;
        }
    }
}
