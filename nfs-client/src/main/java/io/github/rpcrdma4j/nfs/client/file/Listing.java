package io.github.rpcrdma4j.nfs.client.file;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a directory of a server, page by page. It protects against a hostile server: malformed
 * names, duplicate names, cookies that loop, endless pages. Each of these ends the listing with a
 * one-line message. Used by one thread.
 */
public final class Listing {
    /** The most consecutive pages without a new name. */
    private static final int STALE_PAGES_MAX = 1000;

    private final FileService service;
    private final FileHandle directory;
    private final String what;
    private final Wanted wanted;
    private final NameRoom memory;
    private final Set<Long> asked = new HashSet<>();
    private final Set<FileName> seen = new HashSet<>();
    private long cookie;
    private int stalePages;
    private boolean ended;
    private long verifier;

    /** Whether the server has no READDIRPLUS, or none for this directory. */
    private boolean isPlain;

    /**
     * Begins a listing of names, or of files with all attributes.
     *
     * @param what for messages: {@code "cannot list /a"}
     * @param memory accounts for the names
     */
    public Listing(
            FileService service, FileHandle directory, String what, NameMemory.Share memory) {
        this(service, directory, Wanted.ALL, what, memory);
    }

    /**
     * Begins a listing.
     *
     * @param wanted what is asked of the files if not only the names are taken
     * @param what for messages: {@code "cannot list /a"}
     * @param memory accounts for the names
     */
    public Listing(
            FileService service,
            FileHandle directory,
            Wanted wanted,
            String what,
            NameMemory.Share memory) {
        this.service = service;
        this.wanted = wanted;
        this.directory = directory;
        this.what = what;
        this.memory = new NameRoom(memory, what);
    }

    /**
     * Returns some names of a directory, without attributes. An error ends the list.
     *
     * @param pages the most calls to make
     */
    public static List<FileName> some(FileService service, FileHandle directory, int pages)
            throws InterruptedException {
        return new Listing(service, directory, "cannot list", new NameMemory().share()).some(pages);
    }

    /**
     * Returns whether nothing is in a directory.
     *
     * @param what for messages
     */
    public static boolean isEmpty(FileService service, FileHandle directory, String what)
            throws IOException, InterruptedException {
        try (var memory = new NameMemory().share()) {
            var listing = new Listing(service, directory, what, memory);
            while (!listing.hasEnded()) {
                if (!listing.nextNames().isEmpty()) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Returns all names except "." and "..", in the server's order. A name that a later page
     * repeats, because its file was renamed or replaced in the meantime, appears once.
     */
    public List<NamedFile> all() throws IOException, InterruptedException {
        var names = new ArrayList<NamedFile>();
        while (!ended) {
            names.addAll(next());
        }
        return names;
    }

    /** Returns whether the last page was read. */
    public boolean hasEnded() {
        return ended;
    }

    /** Returns the new names of the next page, as in {@link #all}; there may be none. */
    public List<NamedFile> next() throws IOException, InterruptedException {
        requireNewPage();
        var names = new ArrayList<NamedFile>();
        take(page(), entry -> named(entry).map(names::add).isPresent());
        stalePages = names.isEmpty() ? stalePages + 1 : 0;
        return names;
    }

    /**
     * Returns all names without their files, as {@link #all} does. The server is not asked for
     * more, so that each page has more names.
     */
    public List<FileName> names() throws IOException, InterruptedException {
        var names = new ArrayList<FileName>();
        while (!ended) {
            names.addAll(nextNames());
        }
        return names;
    }

    private List<FileName> nextNames() throws IOException, InterruptedException {
        requireNewPage();
        var names = new ArrayList<FileName>();
        take(namesOnly(), entry -> names.add(entry.name()));
        stalePages = names.isEmpty() ? stalePages + 1 : 0;
        return names;
    }

    /** Receives a new name. */
    private interface NewEntry {
        /** Returns whether there still is a file of that name. */
        boolean take(DirectoryPage.Entry entry) throws IOException, InterruptedException;
    }

    private void take(DirectoryPage page, NewEntry action)
            throws IOException, InterruptedException {
        var onPage = new HashSet<FileName>();
        for (var entry : page.entries()) {
            cookie = entry.cookie();
            if (!entry.name().isDots()) {
                check(entry, onPage);
                if (!seen.contains(entry.name())) {
                    memory.take(entry.name(), seen.size());
                    if (action.take(entry)) {
                        seen.add(entry.name());
                    }
                }
            }
        }
        verifier = page.verifier();
        ended = page.isLast();
        if (!ended && page.entries().isEmpty()) {
            throw new NfsException(what, Status.TOOSMALL);
        }
    }

    /**
     * Returns the names from a limited number of calls, without handles and attributes.
     *
     * @param pages the most calls
     */
    List<FileName> some(int pages) throws InterruptedException {
        var names = new ArrayList<FileName>();
        try {
            for (int i = 0; i < pages; i++) {
                var page = namesOnly();
                for (var entry : page.entries()) {
                    cookie = entry.cookie();
                    if (entry.name().isSingle() && !entry.name().isDots()) {
                        names.add(entry.name());
                    }
                }
                verifier = page.verifier();
                if (page.isLast() || page.entries().isEmpty()) {
                    return names;
                }
            }
        } catch (IOException _) {
            // Return the names found so far.
        }
        return names;
    }

    private void check(DirectoryPage.Entry entry, Set<FileName> onPage) throws IOException {
        if (!entry.name().isSingle()) {
            throw new IOException(
                    what + ": the server sent an invalid name: " + entry.name().escaped());
        }
        if (!onPage.add(entry.name())) {
            throw new IOException(
                    what + ": the server has two files of the name " + entry.name().escaped());
        }
    }

    /**
     * Reads a page with handles and attributes, or names alone if the server does not have that, or
     * refuses it.
     */
    private DirectoryPage page() throws IOException, InterruptedException {
        if (!isPlain) {
            try {
                return service.list(directory, cookie, verifier, wanted, what);
            } catch (NfsException unsupported) {
                if (unsupported.status() != Status.NOTSUPP) {
                    throw unsupported;
                }
            } catch (RpcException.Refused _) {
                // If it is not about this procedure, the other one is refused, too.
            }
            isPlain = true;
        }
        return namesOnly();
    }

    private DirectoryPage namesOnly() throws IOException, InterruptedException {
        return service.list(directory, cookie, verifier, Wanted.NAMES, what);
    }

    private void requireNewPage() throws IOException {
        if (!asked.add(cookie) || stalePages > STALE_PAGES_MAX) {
            throw new IOException(what + ": the listing does not end: the server repeats pages");
        }
    }

    /** Returns an entry with its handle and attributes; empty if it was removed in the meantime. */
    private Optional<NamedFile> named(DirectoryPage.Entry entry)
            throws IOException, InterruptedException {
        var file = entry.file().isPresent() ? entry.file() : looked(entry.name());
        return file.map(found -> new NamedFile(entry.name(), found.handle(), found.attributes()));
    }

    /** Looks for a file that the listing has not told. One that is refused hides no others. */
    private Optional<RemoteFile> looked(FileName name) throws IOException, InterruptedException {
        var place = new RemotePlace(directory, name);
        try {
            return service.find(place, what);
        } catch (NfsException failure) {
            return switch (failure.status()) {
                case ACCES, PERM, IO, NXIO, SERVERFAULT -> {
                    var why = Optional.of(failure.status());
                    yield Optional.of(
                            new RemoteFile(
                                    FileHandle.ofRefused(new FileHandle.Refused(place, why)),
                                    FileAttributes.unknown(new FileSystemId(0, 0), 0)));
                }
                default -> throw failure;
            };
        }
    }
}
