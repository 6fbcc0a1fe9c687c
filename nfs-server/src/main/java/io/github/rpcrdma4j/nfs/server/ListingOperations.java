package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage.Entry;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;

/** READDIR and READDIRPLUS (RFC 1813, Sections 3.3.16 and 3.3.17). */
final class ListingOperations {
    /** The longest page, whatever is asked for. */
    private static final long PAGE_MAX = 1 << 20;

    private final Permissions permissions;
    private final Listings listings;

    ListingOperations(Permissions permissions, Listings listings) {
        this.permissions = permissions;
        this.listings = listings;
    }

    /**
     * The next page of a folder.
     *
     * @param cookie behind which to go on
     * @param plainMax octets of the entries without attributes and handles, unsigned
     * @param fullMax octets of the whole result, unsigned
     * @param plus whether attributes and handles are wanted
     */
    Ok<Optional<FileAttributes>, DirectoryPage> list(
            Located folder, long cookie, int plainMax, int fullMax, boolean plus, Credential caller)
            throws Refusal, IOException {
        permissions.require(folder, caller, Permissions.READ);
        if (cookie < 0) {
            throw new Refusal(Status.BAD_COOKIE);
        }
        long full = Math.min(Integer.toUnsignedLong(fullMax), PAGE_MAX);
        // Who may only read the names learns nothing of the files.
        boolean opens = plus && permissions.allows(folder, caller, Permissions.EXECUTE);
        var page = new Page(Integer.toUnsignedLong(plainMax), full, plus, opens);
        boolean ended = fill(page, folder, cookie);
        if (page.entries.isEmpty() && !ended) {
            throw new Refusal(Status.TOOSMALL);
        }
        // Cookies hold for ever, so their verifier never changes.
        return new Ok<>(folder.tree().now(folder), new DirectoryPage(0, page.entries, ended));
    }

    private boolean fill(Page page, Located folder, long cookie) throws Refusal, IOException {
        if (cookie < Listings.SELF_COOKIE
                && !page.add(FileName.SELF, Listings.SELF_COOKIE, folder)) {
            return false;
        }
        if (cookie < Listings.PARENT_COOKIE
                && !page.add(
                        FileName.PARENT, Listings.PARENT_COOKIE, folder.tree().parent(folder))) {
            return false;
        }
        var listing = listings.of(folder, cookie > Listings.PARENT_COOKIE);
        for (int i = listing.after(cookie); i < listing.names().length; i++) {
            var file = folder.tree().findChild(folder, listing.names()[i]);
            // What vanished since the folder was read is left out.
            if (file.isPresent()
                    && !page.add(
                            FileName.of(listing.names()[i]), listing.cookies()[i], file.get())) {
                return false;
            }
        }
        return true;
    }

    /** Entries, as long as they fit (RFC 1813 counts all octets of the result but its status). */
    private static final class Page {
        private final boolean plus;
        private final boolean opens;
        private final ArrayList<Entry> entries = new ArrayList<>();
        private long plainLeft;
        private long fullLeft;

        Page(long plainMax, long fullMax, boolean plus, boolean opens) {
            this.plus = plus;
            this.opens = opens;
            this.plainLeft = plus ? plainMax : fullMax;
            this.fullLeft = fullMax - DirectoryPage.EMPTY_BYTES;
        }

        boolean add(FileName name, long cookie, Located file) {
            var entry =
                    new Entry(
                            file.file().fileId(),
                            name,
                            cookie,
                            opens ? Optional.of(file.file()) : Optional.empty(),
                            opens ? Optional.of(file.handle()) : Optional.empty());
            int bytes = plus ? entry.fullBytes() : entry.plainBytes();
            boolean first = entries.isEmpty();
            // At least one entry, whatever the hint of dircount says.
            if (bytes > fullLeft || (!first && entry.plainBytes() > plainLeft)) {
                return false;
            }
            fullLeft -= bytes;
            plainLeft -= entry.plainBytes();
            entries.add(entry);
            return true;
        }
    }
}
