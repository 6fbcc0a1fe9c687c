package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.RecentlyUsed;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.Optional;

/**
 * Finds the cookies of stores, which have 64 bits, from the cookies of version 2, which have 32. A
 * small cookie is its own. The ends of recent pages are remembered. Any other cookie is found in a
 * listing from the start, also after a restart. A client may have a limited number of names listed
 * for that, because it can make up cookies. Thread-safe.
 */
final class ListingCookies {
    private static final int KNOWN_MAX = 16_384;
    private static final int MIX = 0x9e3779b1;

    /** A cookie of version 2 and its directory. */
    private record Place(int export, FileId directory, int cookie) {
        @Override
        public int hashCode() {
            return KeyedHash.of(export, directory.hashCode(), cookie);
        }
    }

    private final RecentlyUsed<Place, Long> ends = new RecentlyUsed<>(KNOWN_MAX);
    private final SearchQuotas quotas = new SearchQuotas();

    /** Returns the cookie for clients; never 0. The upper half of the numbers are not their own. */
    static int of(long cookie) {
        if (cookie > 0 && cookie <= Integer.MAX_VALUE) {
            return (int) cookie;
        }
        return (int) (cookie >>> Integer.SIZE) * MIX + (int) cookie | Integer.MIN_VALUE;
    }

    /** Remembers the last cookie of a page. */
    void remember(CallTarget directory, long cookie) {
        if (cookie < 0 || cookie > Integer.MAX_VALUE) {
            ends.put(place(directory, of(cookie)), cookie);
        }
    }

    private static Place place(CallTarget directory, int cookie) {
        return new Place(directory.openExport().number(), directory.node().id(), cookie);
    }

    /**
     * Returns the cookie of the store.
     *
     * @throws StoreException BAD_COOKIE if no entry has it any more, AGAIN if the client has had
     *     too many names searched, or a failure of the listing
     */
    long find(CallTarget directory, int cookie) throws StoreException {
        if (cookie >= 0) {
            return cookie;
        }
        var known = ends.find(place(directory, cookie));
        return known != null ? known : search(directory, cookie);
    }

    private long search(CallTarget directory, int wanted) throws StoreException {
        var client = directory.client().identity().client();
        var quota = quotas.of(client, System.nanoTime());
        synchronized (quota) {
            if (!quota.mayBegin(System.nanoTime())) {
                throw new StoreException(Failure.AGAIN);
            }
            var search = new Search(wanted, quota);
            directory.node().list(directory.caller(), 0, false, search);
            if (search.found == 0) {
                throw new StoreException(Failure.BAD_COOKIE);
            }
            return search.found;
        }
    }

    private static final class Search implements EntrySink {
        private final int wanted;
        private final SearchQuotas.Quota quota;
        private long found;

        Search(int wanted, SearchQuotas.Quota quota) {
            this.wanted = wanted;
            this.quota = quota;
        }

        @Override
        public boolean add(FileName name, long number, long cookie, Optional<Made.Entry> entry) {
            quota.count();
            if (of(cookie) == wanted) {
                found = cookie;
            }
            return found == 0;
        }

        @Override
        public void end() {
            // Then no entry has the cookie.
        }
    }
}
