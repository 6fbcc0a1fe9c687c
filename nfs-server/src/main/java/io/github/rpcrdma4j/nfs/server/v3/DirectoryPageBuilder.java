package io.github.rpcrdma4j.nfs.server.v3;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.served.Exports.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.server.store.Node.Made;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage.Entry;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Collects the entries of a READDIR or READDIRPLUS reply until its limits are reached. The limits
 * count all bytes of the result but its status (RFC 1813, Sections 3.3.16 and 3.3.17).
 */
final class DirectoryPageBuilder implements EntrySink {
    /** The longest page, even if a client allows a longer one. */
    private static final long PAGE_MAX = 1 << 20;

    private final CallTarget directory;
    private final boolean plus;
    private final ArrayList<Entry> entries = new ArrayList<>();
    private long plainLeft;
    private long fullLeft;
    private boolean ended;

    DirectoryPageBuilder(CallTarget directory, int plainMax, int fullMax, boolean plus) {
        long full = Math.min(Integer.toUnsignedLong(fullMax), PAGE_MAX);
        this.directory = directory;
        this.plus = plus;
        this.plainLeft = plus ? Integer.toUnsignedLong(plainMax) : full;
        this.fullLeft = full - DirectoryPage.EMPTY_BYTES;
    }

    @Override
    public boolean add(FileName name, long number, long cookie, Optional<Made.Entry> found) {
        var entry =
                new Entry(
                        number,
                        name,
                        cookie,
                        found.map(file -> StatusTranslation.attributes(file.status())),
                        found.map(file -> directory.handle(file.id())));
        int bytes = plus ? entry.fullBytes() : entry.plainBytes();
        boolean first = entries.isEmpty();
        // The limit of dircount is only a hint and never excludes the first entry.
        if (bytes > fullLeft || !first && entry.plainBytes() > plainLeft) {
            return false;
        }
        fullLeft -= bytes;
        plainLeft -= entry.plainBytes();
        entries.add(entry);
        return true;
    }

    @Override
    public void end() {
        ended = true;
    }

    /**
     * @throws Refusal TOOSMALL if not even one entry fits
     */
    DirectoryPage page() throws Refusal {
        if (entries.isEmpty() && !ended) {
            throw new Refusal(Failure.TOOSMALL);
        }
        // Cookies stay valid forever, so their verifier never changes.
        return new DirectoryPage(0, entries, ended);
    }
}
