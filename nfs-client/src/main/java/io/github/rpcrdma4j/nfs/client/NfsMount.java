package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.file.LinkRule;
import io.github.rpcrdma4j.nfs.client.file.Listing;
import io.github.rpcrdma4j.nfs.client.file.NewFiles;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.MountedExport;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The files of a server by their paths. A path starts with the path of an export. Symbolic links
 * are followed within a path, but not at its end unless a method says so. In a sticky directory
 * that all may write to, only those of the caller ({@link ClientOptions#caller}) and of the owner
 * of the directory are followed; another one is an {@link IOException}. Thread-safe.
 *
 * <p>Tests: {@code NfsFilesTest}, {@code LinksOfOthersTest}.
 */
public final class NfsMount implements AutoCloseable {
    private static final int MODE = 0755;
    private static final int LINKS_MAX = 40;

    private final FileService service;
    private final MountedExport mounted;
    private final AbsoluteLinks absolute;

    /** What is done with a link whose text begins with a slash. */
    public enum AbsoluteLinks {
        /** It is refused: what it names is of the machine where it was made. */
        REFUSED,
        /** Its text is a path of the server, and has to lie in the export. */
        FROM_ROOT
    }

    private NfsMount(FileService service, MountedExport mounted, AbsoluteLinks absolute) {
        this.service = service;
        this.mounted = mounted;
        this.absolute = absolute;
    }

    /**
     * Mounts the export that holds a path. If several do, it takes the one with the longest path.
     *
     * @param service owned by the mount, which closes it; closed at once if this fails
     */
    public static NfsMount of(FileService service, PathName path)
            throws IOException, InterruptedException {
        return of(service, path, AbsoluteLinks.REFUSED);
    }

    /**
     * Mounts an export as {@link #of(FileService, PathName)} does, and says what is done with
     * absolute links.
     */
    public static NfsMount of(FileService service, PathName path, AbsoluteLinks absolute)
            throws IOException, InterruptedException {
        try {
            return new NfsMount(service, service.mountFor(path), absolute);
        } catch (IOException | InterruptedException | RuntimeException failure) {
            service.close();
            throw failure;
        }
    }

    /** Mounts the export that holds a UTF-8 path, as {@link #of(FileService, PathName)} does. */
    public static NfsMount of(FileService service, String path)
            throws IOException, InterruptedException {
        return of(service, PathName.of(path));
    }

    /** Returns the path of the mounted export. */
    public PathName export() {
        return mounted.path();
    }

    /** Returns whether a path lies in this export, and in no export inside it. */
    public boolean holds(PathName path) {
        return mounted.holds(path);
    }

    /** Returns the service that makes the calls; the mount owns it. */
    public FileService service() {
        return service;
    }

    /**
     * Returns the limits of the file system of the export. If the server does not tell them, they
     * are limits that each server has.
     */
    public TransferLimits limits() throws IOException, InterruptedException {
        return mounted.limits().isPresent()
                ? mounted.limits().get()
                : service.limits(mounted.root().handle());
    }

    /** Returns the space of the file system that holds a file. */
    public SpaceStatus space(FileHandle file) throws IOException, InterruptedException {
        return service.space(file);
    }

    /** Returns the file at a path. A link at the end of the path is not followed. */
    public RemoteFile resolve(PathName path) throws IOException, InterruptedException {
        return resolve(path, false);
    }

    /** Returns the file at a UTF-8 path. A link at the end of the path is not followed. */
    public RemoteFile resolve(String path) throws IOException, InterruptedException {
        return resolve(PathName.of(path), false);
    }

    /**
     * Returns the file at a path.
     *
     * @param followsLast whether a link at the end of the path is followed too
     * @throws NfsException with {@link Status#NOENT} if there is no file
     */
    public RemoteFile resolve(PathName path, boolean followsLast)
            throws IOException, InterruptedException {
        return real(path, followsLast).file();
    }

    /**
     * A file, and the path that leads to it without links and dots.
     *
     * @param path absolute
     */
    public record RealFile(PathName path, RemoteFile file) {}

    /**
     * Returns the file at a path as {@link #resolve(PathName, boolean)} does, and where it is.
     *
     * @param followsLast whether a link at the end of the path is followed too
     */
    public RealFile real(PathName path, boolean followsLast)
            throws IOException, InterruptedException {
        var found = walk(path, followsLast);
        var file = found.target.file();
        if (file.isEmpty()) {
            throw new NfsException("cannot find " + path.escaped(), Status.NOENT);
        }
        return new RealFile(found.path, file.get());
    }

    /**
     * The file that a path leads to, if it exists.
     *
     * @param place its directory, which exists, and its name there; empty for the root of the
     *     export
     * @param file empty if there is no such file
     * @param isDirect whether the path is known to have led there without a link
     */
    public record Target(Optional<RemotePlace> place, Optional<RemoteFile> file, boolean isDirect) {
        /** A target that a link may have led to. */
        public Target(Optional<RemotePlace> place, Optional<RemoteFile> file) {
            this(place, file, false);
        }
    }

    /** Resolves a path to its target. A link at the end of the path is followed. */
    public Target target(PathName path) throws IOException, InterruptedException {
        return walk(path, true).target;
    }

    /** A directory on the way, or the end of it, and its path without links. */
    private record Step(Target target, PathName path) {
        FileHandle handle() {
            return target.file().orElseThrow().handle();
        }

        /** The dots behind a file lead nowhere, as any other name there. */
        void requireDirectory() throws NfsException {
            if (!target.file().orElseThrow().attributes().isDirectory()) {
                throw new NfsException("cannot find " + path.escaped(), Status.NOTDIR);
            }
        }
    }

    private Step walk(PathName path, boolean followsLast) throws IOException, InterruptedException {
        var below = path.below(export());
        if (below.isEmpty()) {
            throw new NfsException(
                    "cannot find " + path.escaped() + " below the export " + export().escaped(),
                    Status.NOENT);
        }
        var walk = new Walk(path, followsLast);
        walk.names.addAll(below.get().names());
        while (!walk.names.isEmpty()) {
            if (!walk.isDots()) {
                walk.step();
            }
        }
        return walk.trail.getFirst();
    }

    /** A walk along a path, through links. */
    private final class Walk {
        private final PathName path;
        private final boolean followsLast;
        private final Deque<FileName> names = new ArrayDeque<>();

        /** The newest one first. */
        private final Deque<Step> trail = new ArrayDeque<>();

        private int links;

        Walk(PathName path, boolean followsLast) {
            this.path = path;
            this.followsLast = followsLast;
            start();
        }

        private void start() {
            trail.clear();
            trail.push(
                    new Step(new Target(Optional.empty(), Optional.of(mounted.root())), export()));
        }

        /** Passes by a name that means a directory of the trail. Returns false for another one. */
        boolean isDots() throws NfsException {
            if (!names.getFirst().isDots()) {
                return false;
            }
            trail.getFirst().requireDirectory();
            if (names.removeFirst().equals(FileName.PARENT) && trail.size() > 1) {
                trail.pop();
            }
            return true;
        }

        /** Walks as far as the names are those of files, at most up to a link. */
        void step() throws IOException, InterruptedException {
            var next = names.stream().takeWhile(each -> !each.isDots()).toList();
            var walked =
                    service.walk(trail.getFirst().handle(), next, "cannot find " + path.escaped());
            for (var file : walked.files()) {
                if (isLink(file)) {
                    return;
                }
            }
            if (walked.failure().isPresent()) {
                missing(walked.failure().get());
            }
        }

        /** Goes on to the file of the next name, or to where it leads, if it is a link. */
        private boolean isLink(RemoteFile file) throws IOException, InterruptedException {
            var place = new RemotePlace(trail.getFirst().handle(), names.removeFirst());
            var here = trail.getFirst().path.resolve(place.name());
            if (!isFollowed(file, followsLast || !names.isEmpty())) {
                push(place, Optional.of(file), here);
                return false;
            }
            if (++links > LINKS_MAX) {
                throw NfsException.found(
                        "cannot find " + here.escaped(), "too many links on the way", Status.INVAL);
            }
            requireFollowed(place.directory(), file, here);
            var text = linked(file, path);
            if (text.isAbsolute()) {
                start();
            }
            namesOf(text).reversed().forEach(names::addFirst);
            return true;
        }

        /** There may be no file of the last name. */
        private void missing(NfsException why) throws NfsException {
            var place = new RemotePlace(trail.getFirst().handle(), names.removeFirst());
            var here = trail.getFirst().path.resolve(place.name());
            if (why.status() != Status.NOENT || !names.isEmpty()) {
                throw NfsException.found(
                        "cannot find " + here.escaped(), why.reason(), why.status());
            }
            push(place, Optional.empty(), here);
        }

        private void push(RemotePlace place, Optional<RemoteFile> file, PathName here) {
            trail.push(new Step(new Target(Optional.of(place), file, links == 0), here));
        }
    }

    private static boolean isFollowed(RemoteFile file, boolean follows) {
        return follows && file.attributes().type() == FileType.SYMBOLIC_LINK;
    }

    /** Refuses a link that another user may have made to lead the caller astray. */
    private void requireFollowed(FileHandle directory, RemoteFile link, PathName path)
            throws IOException, InterruptedException {
        // Asked for now: the attributes of the root are as old as the mount.
        var above = service.attributes(directory, "cannot find " + path.escaped());
        if (!LinkRule.follows(above, link.attributes(), service.caller())) {
            throw new IOException(
                    path.escaped()
                            + " is a link of user "
                            + Integer.toUnsignedString(link.attributes().uid())
                            + " in a directory that all may write to: not followed");
        }
    }

    /** Returns the text of a link that may be followed. */
    private PathName linked(RemoteFile link, PathName path)
            throws IOException, InterruptedException {
        var text = service.readLink(link.handle(), "cannot read the link " + path.escaped());
        boolean leadsOut =
                text.isAbsolute()
                        && (absolute == AbsoluteLinks.REFUSED || text.below(export()).isEmpty());
        if (leadsOut) {
            throw NfsException.found(
                    path.escaped(),
                    "a link to " + text.escaped() + " leads out of the export",
                    Status.XDEV);
        }
        return text;
    }

    /** Returns the names of the text of a link, of an absolute one those below the export. */
    private List<FileName> namesOf(PathName text) {
        return text.isAbsolute() ? text.below(export()).orElseThrow().names() : text.names();
    }

    /** Returns the file of a name in a directory. */
    public RemoteFile lookup(RemotePlace place) throws IOException, InterruptedException {
        return service.lookup(place, "cannot find " + place.name().escaped());
    }

    /**
     * Returns the file at a path. A link at the end is not followed.
     *
     * @return empty if there is no file, also because a directory on the way is missing or is no
     *     directory, or because the path is not below the export
     */
    public Optional<RemoteFile> find(PathName path) throws IOException, InterruptedException {
        try {
            return walk(path, false).target.file();
        } catch (NfsException missing) {
            if (missing.status() == Status.NOENT || missing.status() == Status.NOTDIR) {
                return Optional.empty();
            }
            throw missing;
        }
    }

    /** Returns the directory that holds, or would hold, the last name of a path, and that name. */
    public RemotePlace place(PathName path) throws IOException, InterruptedException {
        var names = path.names();
        if (path.below(export()).map(below -> below.names().isEmpty()).orElse(names.isEmpty())) {
            throw new IOException(
                    path.escaped()
                            + " is the export itself: it cannot be made, renamed or removed");
        }
        if (names.getLast().isDots()) {
            throw new NfsException(path.escaped() + " has no name at its end", Status.INVAL);
        }
        var directory = names.subList(0, names.size() - 1);
        var above = PathName.of("/");
        for (var name : directory) {
            above = above.resolve(name);
        }
        var parent = resolve(above, true);
        if (!parent.attributes().isDirectory()) {
            throw new NfsException(above.escaped(), Status.NOTDIR);
        }
        return new RemotePlace(parent.handle(), names.getLast());
    }

    /**
     * Returns the directory and the last name of a UTF-8 path, as {@link #place(PathName)} does.
     */
    public RemotePlace place(String path) throws IOException, InterruptedException {
        return place(PathName.of(path));
    }

    /**
     * Returns the names in a directory, without "." and "..", in the server's order. A malformed or
     * endless listing fails with a message that says what is wrong.
     *
     * @param path of the directory, for messages
     */
    public List<NamedFile> list(FileHandle directory, String path)
            throws IOException, InterruptedException {
        return list(directory, Wanted.ALL, path, new NameMemory().share());
    }

    /**
     * Lists a directory as {@link #list(FileHandle, String)} does. Listings may share memory.
     *
     * @param wanted what is asked of the files: more than the names
     * @param memory accounts for the names; the caller closes it when it no longer uses them
     */
    public List<NamedFile> list(
            FileHandle directory, Wanted wanted, String path, NameMemory.Share memory)
            throws IOException, InterruptedException {
        return new Listing(service, directory, wanted, "cannot list " + path, memory).all();
    }

    /** Returns the names in a directory as {@code list} does, and asks for nothing else. */
    public List<FileName> names(FileHandle directory, String path, NameMemory.Share memory)
            throws IOException, InterruptedException {
        return new Listing(service, directory, "cannot list " + path, memory).names();
    }

    /** Makes a directory with mode 0755 (octal). */
    public FileHandle makeDirectory(PathName path) throws IOException, InterruptedException {
        return makeDirectory(path, MODE);
    }

    /**
     * Makes a directory.
     *
     * @param mode its permissions; servers may add those that the directory above passes on
     * @throws IOException also if the server does not tell what it made, and the directory of that
     *     name may be another one
     */
    public FileHandle makeDirectory(PathName path, int mode)
            throws IOException, InterruptedException {
        var place = place(path);
        var what = "cannot make " + path.escaped();
        var made = service.makeDirectory(place, AttributeChanges.ofMode(mode), what);
        return made.handle().isPresent()
                ? made.handle().get()
                : NewFiles.ofCaller(service).directory(made, place, mode, what).handle();
    }

    /**
     * Makes an empty file, which must not exist. If another client makes it meanwhile, that file is
     * returned unchanged. If the server does not tell what it made, and the file of that name may
     * be another one, it is an {@link IOException}.
     */
    public RemoteFile makeFile(PathName path, int mode) throws IOException, InterruptedException {
        // Version 2 knows no other mode, and none of them changes an existing file without a size.
        return makeFile(
                place(path), AttributeChanges.ofMode(mode), false, "cannot make " + path.escaped());
    }

    /** Makes a symbolic link of any text. The link must not exist. */
    public void makeLink(PathName link, PathName text) throws IOException, InterruptedException {
        service.makeLink(place(link), text, "cannot make the link " + link.escaped());
    }

    /** Adds a hard link to a file. The new name must not exist. */
    public void link(FileHandle file, PathName name) throws IOException, InterruptedException {
        service.link(file, place(name), "cannot make the hard link " + name.escaped());
    }

    /**
     * Changes attributes of a file.
     *
     * @param what for the message of a failure: {@code "cannot change the mode of /a/b"}
     */
    public void change(FileHandle file, AttributeChanges changes, String what)
            throws IOException, InterruptedException {
        service.change(file, changes, what);
    }

    /** Makes a regular file, and returns the one that the server made or found. */
    RemoteFile makeFile(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        var made = service.makeFile(place, attributes, isNew, what);
        return NewFiles.ofCaller(service).file(made, place, what);
    }

    /** Removes a file or a link, but not a directory. */
    public void remove(PathName path) throws IOException, InterruptedException {
        service.remove(place(path), "cannot remove " + path.escaped());
    }

    /** Removes an empty directory. */
    public void removeDirectory(PathName path) throws IOException, InterruptedException {
        service.removeDirectory(place(path), "cannot remove " + path.escaped());
    }

    /** Renames a file within the export. An existing file of the new name is replaced. */
    public void rename(PathName from, PathName to) throws IOException, InterruptedException {
        service.rename(
                place(from), place(to), "cannot rename " + from.escaped() + " to " + to.escaped());
    }

    @Override
    public void close() {
        service.close();
    }
}
