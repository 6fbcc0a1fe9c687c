package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3.Exported;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Values;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Files by their paths on a server. The first names of a path are those of an export. Links on the
 * way are followed, a link at the end is not. Thread-safe.
 */
public final class NfsMount implements AutoCloseable {
    private static final int MODE = 0755;
    private static final int LINKS_MAX = 40;
    private static final int EXPORTS_SHOWN = 5;

    /** A file that was there when it was asked for. */
    public record RemoteFile(FileHandle handle, FileAttributes attributes) {}

    /** A name in a directory with what it stands for. */
    public record Named(FileName name, FileHandle handle, FileAttributes attributes) {}

    private final Nfs3Client client;
    private final PathName export;
    private final RemoteFile root;

    private NfsMount(Nfs3Client client, PathName export, RemoteFile root) {
        this.client = client;
        this.export = export;
        this.root = root;
    }

    /**
     * Mounts the export that a path lies in: the longest that the server has.
     *
     * @param client closed with the mount, or at once if this fails
     */
    public static NfsMount of(Nfs3Client client, PathName path)
            throws IOException, InterruptedException {
        try {
            var export = export(client, path);
            var handle = client.mount(export);
            var attributes =
                    client.call(
                            new Nfs3Call.GetAttributes(handle), "cannot stat " + export.escaped());
            return new NfsMount(client, export, new RemoteFile(handle, attributes));
        } catch (IOException | InterruptedException | RuntimeException failure) {
            client.close();
            throw failure;
        }
    }

    /** Mounts the export that a path in UTF-8 lies in, as {@link #of(Nfs3Client, PathName)}. */
    public static NfsMount of(Nfs3Client client, String path)
            throws IOException, InterruptedException {
        return of(client, PathName.of(path));
    }

    private static PathName export(Nfs3Client client, PathName path)
            throws IOException, InterruptedException {
        var exports = client.exports().stream().map(Exported::path).toList();
        PathName longest = null;
        for (var each : exports) {
            boolean holds = path.below(each).isPresent();
            if (holds && (longest == null || each.length() > longest.length())) {
                longest = each;
            }
        }
        if (longest == null) {
            throw new IOException(
                    "the server exports nothing that holds " + path.escaped() + told(exports));
        }
        return longest;
    }

    /** What there is instead. */
    private static String told(List<PathName> exports) {
        if (exports.isEmpty()) {
            return ": it exports nothing to this client";
        }
        var shown =
                exports.stream()
                        .limit(EXPORTS_SHOWN)
                        .map(PathName::escaped)
                        .collect(Collectors.joining(", "));
        int more = exports.size() - EXPORTS_SHOWN;
        return "; it exports " + shown + (more > 0 ? " and " + more + " more" : "");
    }

    /** The path of the export that is mounted. */
    public PathName export() {
        return export;
    }

    /** The calls underneath. */
    public Nfs3Client client() {
        return client;
    }

    /** What the server says of its file system. */
    public Values.FileSystemInfo info() throws IOException, InterruptedException {
        return client.call(new Nfs3Call.InfoOf(root.handle()), "cannot ask for the limits");
    }

    /** The file at a path; a link at its end is not followed. */
    public RemoteFile locate(PathName path) throws IOException, InterruptedException {
        return locate(path, false);
    }

    /** The file at a path in UTF-8; a link at its end is not followed. */
    public RemoteFile locate(String path) throws IOException, InterruptedException {
        return locate(PathName.of(path), false);
    }

    /**
     * The file at a path.
     *
     * @param followsLast whether a link at its end is followed too
     */
    public RemoteFile locate(PathName path, boolean followsLast)
            throws IOException, InterruptedException {
        var found = walk(path, followsLast);
        if (found.file().isEmpty()) {
            throw new NfsException("cannot find " + path.escaped(), Status.NOENT);
        }
        return found.file().get();
    }

    /**
     * Where a path leads.
     *
     * @param place the directory of the file, and its name there; empty if it is the export itself
     * @param file empty if there is none at the end; the directory is there
     */
    public record Target(Optional<Place> place, Optional<RemoteFile> file) {}

    /** Where a path leads; a link at its end is followed. */
    public Target target(PathName path) throws IOException, InterruptedException {
        return walk(path, true);
    }

    private Target walk(PathName path, boolean followsLast)
            throws IOException, InterruptedException {
        var below = path.below(export);
        if (below.isEmpty()) {
            throw new NfsException(
                    "cannot find " + path.escaped() + " below the export " + export.escaped(),
                    Status.NOENT);
        }
        var trail = new ArrayDeque<Target>();
        trail.push(new Target(Optional.empty(), Optional.of(root)));
        var shown = new ArrayDeque<PathName>();
        shown.push(export);
        var names = new ArrayDeque<>(below.get().names());
        int links = 0;
        while (!names.isEmpty()) {
            var name = names.removeFirst();
            if (name.isDots()) {
                if (name.equals(FileName.PARENT) && trail.size() > 1) {
                    trail.pop();
                    shown.pop();
                }
                continue;
            }
            var place = new Place(trail.getFirst().file().orElseThrow().handle(), name);
            var here = shown.getFirst().resolve(name);
            var what = "cannot find " + here.escaped();
            var next = names.isEmpty() ? find(place, what) : Optional.of(lookup(place, what));
            if (next.isPresent() && isFollowed(next.get(), followsLast || !names.isEmpty())) {
                if (++links > LINKS_MAX) {
                    throw new NfsException(what + ": too many links", Status.INVAL);
                }
                linked(next.get(), path).reversed().forEach(names::addFirst);
            } else {
                trail.push(new Target(Optional.of(place), next));
                shown.push(here);
            }
        }
        return trail.getFirst();
    }

    private static boolean isFollowed(RemoteFile file, boolean follows) {
        return follows && file.attributes().type() == FileType.SYMBOLIC_LINK;
    }

    private List<FileName> linked(RemoteFile link, PathName path)
            throws IOException, InterruptedException {
        var text = client.readLink(link.handle(), "cannot read the link " + path.escaped());
        if (text.isAbsolute()) {
            throw new NfsException(
                    path.escaped() + " leads out of the export by the link to " + text.escaped(),
                    Status.XDEV);
        }
        return text.names();
    }

    /** The file of a name in a directory. */
    public RemoteFile lookup(Place place) throws IOException, InterruptedException {
        return lookup(place, "cannot find " + place.name().escaped());
    }

    /** The file at a place. */
    RemoteFile lookup(Place place, String what) throws IOException, InterruptedException {
        return lookup(client, place, what);
    }

    /** The file at a path, if there is one; a link at its end is not followed. */
    public Optional<RemoteFile> find(PathName path) throws IOException, InterruptedException {
        return walk(path, false).file();
    }

    /**
     * The file at a place, if there is one.
     *
     * @param what for messages: {@code "cannot find /a/b"}
     */
    Optional<RemoteFile> find(Place place, String what) throws IOException, InterruptedException {
        return find(client, place, what);
    }

    static Optional<RemoteFile> find(Nfs3Client client, Place place, String what)
            throws IOException, InterruptedException {
        try {
            return Optional.of(lookup(client, place, what));
        } catch (NfsException missing) {
            if (missing.status() == Status.NOENT) {
                return Optional.empty();
            }
            throw missing;
        }
    }

    private static RemoteFile lookup(Nfs3Client client, Place place, String what)
            throws IOException, InterruptedException {
        var found = client.call(new Nfs3Call.Lookup(place), what);
        // Attributes are optional in most replies: those that are missing are asked for.
        return new RemoteFile(
                found.handle(),
                found.attributes().isPresent()
                        ? found.attributes().get()
                        : client.call(new Nfs3Call.GetAttributes(found.handle()), what));
    }

    /** The directory that a path's last name is, or would be, in, and that name. */
    public Place place(PathName path) throws IOException, InterruptedException {
        var names = path.names();
        if (path.below(export).map(below -> below.names().isEmpty()).orElse(names.isEmpty())) {
            throw new NfsException(path.escaped() + " is the export itself", Status.INVAL);
        }
        if (names.getLast().isDots()) {
            throw new NfsException(path.escaped() + " has no name at its end", Status.INVAL);
        }
        var directory = names.subList(0, names.size() - 1);
        var above = PathName.of("/");
        for (var name : directory) {
            above = above.resolve(name);
        }
        var located = locate(above, true);
        if (!located.attributes().isDirectory()) {
            throw new NfsException(above.escaped(), Status.NOTDIR);
        }
        return new Place(located.handle(), names.getLast());
    }

    /** The place of a path in UTF-8, as {@link #place(PathName)}. */
    public Place place(String path) throws IOException, InterruptedException {
        return place(PathName.of(path));
    }

    /**
     * The names in a directory but for the two that every directory has, in the server's order.
     * What a server may send to harm a client ends the listing: see the message.
     *
     * @param path of the directory, for messages
     */
    public List<Named> list(FileHandle directory, String path)
            throws IOException, InterruptedException {
        return list(directory, path, new NameMemory().share());
    }

    /**
     * The names in a directory, as {@link #list(FileHandle, String)}, of one of several directories
     * whose names are used at a time.
     *
     * @param memory that the names take; closed by the caller when it needs them no more
     */
    public List<Named> list(FileHandle directory, String path, NameMemory.Share memory)
            throws IOException, InterruptedException {
        return new Listing(client, directory, "cannot list " + path, memory).all();
    }

    /** Makes a directory that all may look at. */
    public FileHandle makeDirectory(PathName path) throws IOException, InterruptedException {
        return makeDirectory(place(path), MODE, "cannot make " + path.escaped());
    }

    /** Makes a directory with that mode. */
    FileHandle makeDirectory(Place place, int mode, String what)
            throws IOException, InterruptedException {
        var created =
                client.call(new Nfs3Call.MakeDirectory(place, SetAttributes.ofMode(mode)), what);
        return created.handle().isPresent() ? created.handle().get() : lookup(place, what).handle();
    }

    /**
     * Some names of a directory, without attributes; what goes wrong ends them.
     *
     * @param pages the most calls that are made
     */
    List<FileName> someNames(FileHandle directory, int pages) throws InterruptedException {
        return new Listing(client, directory, "cannot list", new NameMemory().share()).some(pages);
    }

    /** Removes a file or a link. */
    public void remove(PathName path) throws IOException, InterruptedException {
        remove(place(path), "cannot remove " + path.escaped());
    }

    /** Removes a file or a link. */
    void remove(Place place, String what) throws IOException, InterruptedException {
        client.call(new Nfs3Call.Remove(place), what);
    }

    /** Removes an empty directory. */
    public void removeDirectory(PathName path) throws IOException, InterruptedException {
        removeDirectory(place(path), "cannot remove " + path.escaped());
    }

    /** Removes an empty directory. */
    void removeDirectory(Place place, String what) throws IOException, InterruptedException {
        client.call(new Nfs3Call.RemoveDirectory(place), what);
    }

    /** Renames within the export; a file of the new name is replaced. */
    public void rename(PathName from, PathName to) throws IOException, InterruptedException {
        rename(place(from), place(to), "cannot rename " + from.escaped() + " to " + to.escaped());
    }

    /** Renames within the export; a file of the new name is replaced. */
    void rename(Place from, Place to, String what) throws IOException, InterruptedException {
        client.call(new Nfs3Call.Rename(from, to), what);
    }

    @Override
    public void close() {
        client.close();
    }
}
