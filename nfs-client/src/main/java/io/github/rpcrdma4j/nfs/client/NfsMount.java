package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files by their paths on a server. The first names of a path are those of an export. Links on the
 * way are followed, a link at the end is not. Thread-safe.
 */
public final class NfsMount implements AutoCloseable {
    private static final int MODE = 0755;
    private static final int LINKS_MAX = 40;
    private static final int PAGE_BYTES = 64 << 10;

    /** A file that was there when it was asked for. */
    public record Located(FileHandle handle, FileAttributes attributes) {}

    /** A name in a folder with what it stands for. */
    public record Named(String name, FileHandle handle, FileAttributes attributes) {}

    private final Nfs3Client client;
    private final String export;
    private final Located root;

    private NfsMount(Nfs3Client client, String export, Located root) {
        this.client = client;
        this.export = export;
        this.root = root;
    }

    /**
     * Mounts the export that a path lies in: the longest that the server has.
     *
     * @param client closed with the mount, or at once if this fails
     */
    public static NfsMount of(Nfs3Client client, String path)
            throws IOException, InterruptedException {
        try {
            var export = export(client, path);
            var handle = client.mount(export);
            var attributes =
                    client.call(new Nfs3Call.GetAttributes(handle), "cannot stat " + export);
            return new NfsMount(client, export, new Located(handle, attributes));
        } catch (IOException | InterruptedException | RuntimeException failure) {
            client.close();
            throw failure;
        }
    }

    private static String export(Nfs3Client client, String path)
            throws IOException, InterruptedException {
        String longest = null;
        for (var each : client.exports()) {
            // What is mounted is text here, and leads to no export whose name is not.
            var name = each.path().toString();
            if (each.path().isUtf8()
                    && isIn(path, name)
                    && (longest == null || name.length() > longest.length())) {
                longest = name;
            }
        }
        if (longest == null) {
            throw new IOException("the server exports nothing that holds " + path);
        }
        return longest;
    }

    private static boolean isIn(String path, String export) {
        return export.equals("/") || path.equals(export) || path.startsWith(export + "/");
    }

    /** The calls underneath. */
    public Nfs3Client client() {
        return client;
    }

    /** What the server says of its file system. */
    public Values.FileSystemInfo info() throws IOException, InterruptedException {
        return client.call(new Nfs3Call.InfoOf(root.handle()), "cannot ask for the limits");
    }

    /** The file at a path. */
    public Located locate(String path) throws IOException, InterruptedException {
        return locate(path, false);
    }

    /**
     * The file at a path.
     *
     * @param followsLast whether a link at its end is followed too
     */
    public Located locate(String path, boolean followsLast)
            throws IOException, InterruptedException {
        if (!isIn(path, export)) {
            throw new NfsException("cannot find " + path, Status.NOENT);
        }
        var trail = new ArrayDeque<Located>();
        trail.push(root);
        var names = new ArrayDeque<>(names(path.substring(export.length())));
        int links = 0;
        while (!names.isEmpty()) {
            var name = names.removeFirst();
            if (name.equals("..")) {
                if (trail.size() > 1) {
                    trail.pop();
                }
                continue;
            }
            var next = lookup(trail.getFirst().handle(), name, "cannot find " + path);
            boolean isLink = next.attributes().type() == FileType.SYMBOLIC_LINK;
            if (isLink && (followsLast || !names.isEmpty())) {
                if (++links > LINKS_MAX) {
                    throw new NfsException("too many links in " + path, Status.INVAL);
                }
                var text = linkText(next.handle(), path);
                if (text.startsWith("/")) {
                    throw new NfsException(
                            path + " leads out of the export by the link to " + text, Status.XDEV);
                }
                names(text).reversed().forEach(names::addFirst);
            } else {
                trail.push(next);
            }
        }
        return trail.getFirst();
    }

    private String linkText(FileHandle link, String path) throws IOException, InterruptedException {
        var text = client.readLink(link, "cannot read the link " + path);
        if (!text.isUtf8()) {
            throw new IOException(
                    path + " leads over a link to what is not UTF-8: " + text.escaped());
        }
        return text.toString();
    }

    private static List<String> names(String path) {
        var names = new ArrayList<String>();
        for (var name : path.split("/")) {
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        return names;
    }

    /** The file of that name in a folder. */
    public Located lookup(FileHandle folder, String name, String what)
            throws IOException, InterruptedException {
        return lookup(new Place(folder, name), what);
    }

    /** The file at a place. */
    public Located lookup(Place place, String what) throws IOException, InterruptedException {
        var found = client.call(new Nfs3Call.Lookup(place), what);
        return located(found.handle(), found.attributes(), what);
    }

    /** The file of that name in a folder, if there is one. */
    public Optional<Located> find(FileHandle folder, String name)
            throws IOException, InterruptedException {
        try {
            return Optional.of(lookup(folder, name, name));
        } catch (NfsException missing) {
            if (missing.status() == Status.NOENT) {
                return Optional.empty();
            }
            throw missing;
        }
    }

    /** Attributes are optional in most replies: those that are missing are asked for. */
    private Located located(FileHandle handle, Optional<FileAttributes> attributes, String what)
            throws IOException, InterruptedException {
        return new Located(
                handle,
                attributes.isPresent()
                        ? attributes.get()
                        : client.call(new Nfs3Call.GetAttributes(handle), what));
    }

    /** The folder that a path's last name is, or would be, in, and that name. */
    public Place place(String path) throws IOException, InterruptedException {
        int slash = path.lastIndexOf('/');
        if (path.equals(export) || slash < 0) {
            throw new NfsException(path + " is the export itself", Status.INVAL);
        }
        var folder = locate(path.substring(0, slash), true);
        return new Place(folder.handle(), path.substring(slash + 1));
    }

    /**
     * The names in a folder but for the two that every folder has, in the server's order.
     *
     * @param path of the folder, for messages
     * @param leftOut is given the names that are not UTF-8, which are not among the result
     */
    public List<Named> list(FileHandle folder, String path, LeftOut leftOut)
            throws IOException, InterruptedException {
        var what = "cannot list " + path;
        var names = new ArrayList<Named>();
        long cookie = 0;
        long verifier = 0;
        while (true) {
            var page = page(folder, cookie, verifier, what);
            for (var entry : page.entries()) {
                cookie = entry.cookie();
                if (!entry.name().isUtf8()) {
                    leftOut.add(path + "/" + entry.name().escaped());
                } else if (!entry.name().isDots()) {
                    named(folder, entry).ifPresent(names::add);
                }
            }
            verifier = page.verifier();
            if (page.endOfList()) {
                return names;
            }
            if (page.entries().isEmpty()) {
                throw new NfsException(what, Status.TOOSMALL);
            }
        }
    }

    /** A page with all that is known, or with the names alone if the server has no more. */
    private DirectoryPage page(FileHandle folder, long cookie, long verifier, String what)
            throws IOException, InterruptedException {
        try {
            return client.call(
                    new Nfs3Call.ReadDirectoryPlus(
                            folder, cookie, verifier, PAGE_BYTES, PAGE_BYTES),
                    what);
        } catch (NfsException unsupported) {
            if (unsupported.status() != Status.NOTSUPP) {
                throw unsupported;
            }
            return client.call(
                    new Nfs3Call.ReadDirectory(folder, cookie, verifier, PAGE_BYTES), what);
        }
    }

    /** What an entry stands for, unless it was removed meanwhile. */
    private Optional<Named> named(FileHandle folder, DirectoryPage.Entry entry)
            throws IOException, InterruptedException {
        var name = entry.name().toString();
        if (entry.handle().isPresent() && entry.attributes().isPresent()) {
            return Optional.of(new Named(name, entry.handle().get(), entry.attributes().get()));
        }
        return find(folder, name).map(found -> new Named(name, found.handle(), found.attributes()));
    }

    /** Makes a folder that all may look at. */
    public FileHandle makeFolder(Place place, String what)
            throws IOException, InterruptedException {
        return makeFolder(place, MODE, false, what);
    }

    /** Makes a folder; one that is there already will do if that is wanted, with its own mode. */
    FileHandle makeFolder(Place place, int mode, boolean mayExist, String what)
            throws IOException, InterruptedException {
        try {
            var created =
                    client.call(
                            new Nfs3Call.MakeDirectory(place, SetAttributes.ofMode(mode)), what);
            if (created.handle().isPresent()) {
                return created.handle().get();
            }
        } catch (NfsException exists) {
            if (exists.status() != Status.EXIST || !mayExist) {
                throw exists;
            }
        }
        var there = lookup(place, what);
        if (!there.attributes().isDirectory()) {
            throw new NfsException(what, Status.NOTDIR);
        }
        return there.handle();
    }

    /** Removes a file or a link. */
    public void remove(Place place, String what) throws IOException, InterruptedException {
        client.call(new Nfs3Call.Remove(place), what);
    }

    /** Removes an empty folder. */
    public void removeFolder(Place place, String what) throws IOException, InterruptedException {
        client.call(new Nfs3Call.RemoveDirectory(place), what);
    }

    /** Renames within the export; a file of the new name is replaced. */
    public void rename(Place from, Place to, String what) throws IOException, InterruptedException {
        client.call(new Nfs3Call.Rename(from, to), what);
    }

    @Override
    public void close() {
        client.close();
    }
}
