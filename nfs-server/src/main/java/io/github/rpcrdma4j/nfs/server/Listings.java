package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The names in folders, in an order that never changes: by a hash of the name, which is the cookie
 * too. So a listing goes on at the right place whatever was added or removed in between, and after
 * a restart. Recent listings are kept, for folders that are read page by page. Thread-safe.
 */
final class Listings {
    /** The cookies of the two names that every folder has. */
    static final long SELF_COOKIE = 1;

    static final long PARENT_COOKIE = 2;

    private static final int KEPT_MAX = 64;
    private static final int KEPT_NAMES_MAX = 1_000_000;

    /** How long the rest of a folder is taken from the listing that its start came from. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * The names of a folder by ascending cookie.
     *
     * @param cookies all above {@link #PARENT_COOKIE}
     */
    record Listing(long[] cookies, String[] names, long takenNanos) {
        /** The index of the first name behind a cookie. */
        int after(long cookie) {
            int at = Arrays.binarySearch(cookies, cookie);
            return at >= 0 ? at + 1 : -at - 1;
        }
    }

    private record Key(Tree tree, FileId folder) {}

    private record Named(long cookie, String name) {}

    private final Map<Key, Listing> kept = new LinkedHashMap<>(16, 0.75f, true);
    private int keptNames;

    /**
     * The names of a folder.
     *
     * @param goesOn whether this is not the first page: then a recent listing will do
     */
    Listing of(Located folder, boolean goesOn) throws IOException {
        var key = new Key(folder.tree(), folder.id());
        if (goesOn) {
            synchronized (kept) {
                var known = kept.get(key);
                if (known != null && System.nanoTime() - known.takenNanos < FRESH_NANOS) {
                    return known;
                }
            }
        }
        var listing = read(folder);
        synchronized (kept) {
            keep(key, listing);
        }
        return listing;
    }

    private void keep(Key key, Listing listing) {
        var before = kept.put(key, listing);
        keptNames += listing.names.length - (before == null ? 0 : before.names.length);
        var eldest = kept.values().iterator();
        while (kept.size() > 1 && (kept.size() > KEPT_MAX || keptNames > KEPT_NAMES_MAX)) {
            keptNames -= eldest.next().names.length;
            eldest.remove();
        }
    }

    private static Listing read(Located folder) throws IOException {
        var names = new ArrayList<Named>();
        try (var stream = Files.newDirectoryStream(folder.path())) {
            for (var path : stream) {
                var name = path.getFileName().toString();
                names.add(new Named(hash(name), name));
            }
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
        return sorted(names);
    }

    private static Listing sorted(List<Named> names) {
        names.sort(
                (one, other) ->
                        one.cookie != other.cookie
                                ? Long.compare(one.cookie, other.cookie)
                                : one.name.compareTo(other.name));
        var cookies = new long[names.size()];
        var inOrder = new String[names.size()];
        long last = PARENT_COOKIE;
        for (int i = 0; i < cookies.length; i++) {
            // Two names of one hash get neighbouring cookies.
            last = Math.max(last + 1, names.get(i).cookie);
            cookies[i] = last;
            inOrder[i] = names.get(i).name;
        }
        return new Listing(cookies, inOrder, System.nanoTime());
    }

    /** FNV-1a over the octets, mixed, and never negative: cookies are signed in some clients. */
    private static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (byte octet : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (octet & 0xff)) * 0x100000001b3L;
        }
        hash ^= hash >>> 32;
        hash *= 0x9e3779b97f4a7c15L;
        return Math.max(hash >>> 2, PARENT_COOKIE + 1);
    }
}
