package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.v2.Nfs2;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.DirectoryPage;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.DirectoryPage.Entry;
import java.util.ArrayList;
import java.util.Optional;

/** Collects the entries of a READDIR reply until its limit is reached. */
final class DirectoryPageBuilder implements EntrySink {
    private final ArrayList<Entry> entries = new ArrayList<>();
    private long left;
    private long lastCookie;
    private boolean ended;

    /**
     * @param count the most bytes of the results, unsigned
     */
    DirectoryPageBuilder(int count) {
        left = Math.min(Integer.toUnsignedLong(count), Nfs2.DATA_MAX) - DirectoryPage.EMPTY_BYTES;
    }

    @Override
    public boolean add(FileName name, long number, long cookie, Optional<Made.Entry> found) {
        var entry = new Entry(Translation.folded(number), name, ListingCookies.of(cookie));
        if (entry.bytes() > left) {
            return false;
        }
        left -= entry.bytes();
        lastCookie = cookie;
        entries.add(entry);
        return true;
    }

    @Override
    public void end() {
        ended = true;
    }

    /** Returns the cookie of the last entry; 0 if there is none. */
    long lastCookie() {
        return lastCookie;
    }

    /**
     * @throws Refusal TOOSMALL if not even one entry fits
     */
    DirectoryPage page() throws Refusal {
        if (entries.isEmpty() && !ended) {
            throw new Refusal(Failure.TOOSMALL);
        }
        return new DirectoryPage(entries, ended);
    }
}
