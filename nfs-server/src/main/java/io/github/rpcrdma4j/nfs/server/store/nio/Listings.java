package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.FileName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The names in directories, in an order that never changes: by a hash of the name, which is the
 * cookie too. So a listing goes on at the right place whatever was added or removed in between, and
 * after a restart. RecentlyUsed listings are kept, for directories that are read page by page, and
 * again and again. Thread-safe.
 */
final class Listings {
    /** The cookies of the two names that every directory has. */
    static final long SELF_COOKIE = 1;

    static final long PARENT_COOKIE = 2;

    private static final int KEPT_MAX = 64;
    private static final int KEPT_NAMES_MAX = 1_000_000;

    /** How long the rest of a directory is taken from the listing that its start came from. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A directory that changed longer ago than this changes its time with its next change. */
    private static final long SETTLED_SECONDS = 2;

    /**
     * The names of a directory by ascending cookie.
     *
     * @param cookies all above {@link #PARENT_COOKIE}
     * @param directory as it was before it was read
     * @param isSettled whether it has changed since if, and only if, its times are others
     */
    record Listing(
            long[] cookies,
            FileName[] names,
            Attributes directory,
            boolean isSettled,
            long takenNanos) {
        /** The index of the first name behind a cookie. */
        int after(long cookie) {
            int at = Arrays.binarySearch(cookies, cookie);
            return at >= 0 ? at + 1 : -at - 1;
        }

        private boolean isStillOf(Attributes now) {
            return isSettled
                    && now.status().modified().equals(directory.status().modified())
                    && now.status().changed().equals(directory.status().changed());
        }
    }

    private record Named(long cookie, FileName name) {}

    private final Map<Inode, Listing> kept = new LinkedHashMap<>(16, 0.75f, true);
    private int keptNames;

    /**
     * The names of a directory.
     *
     * @param goesOn whether this is not the first page: then a recent listing will do
     */
    Listing of(ResolvedFile directory, boolean goesOn) throws IOException {
        var key = directory.inode();
        synchronized (kept) {
            var known = kept.get(key);
            if (known != null
                    && System.nanoTime() - known.takenNanos < FRESH_NANOS
                    && (goesOn || known.isStillOf(directory.attributes()))) {
                return known;
            }
        }
        var listing = read(directory);
        synchronized (kept) {
            keep(key, listing);
        }
        return listing;
    }

    private void keep(Inode key, Listing listing) {
        var before = kept.put(key, listing);
        keptNames += listing.names.length - (before == null ? 0 : before.names.length);
        var eldest = kept.values().iterator();
        while (kept.size() > 1 && (kept.size() > KEPT_MAX || keptNames > KEPT_NAMES_MAX)) {
            keptNames -= eldest.next().names.length;
            eldest.remove();
        }
    }

    private static Listing read(ResolvedFile directory) throws IOException {
        var names = new ArrayList<Named>();
        try (var stream = Files.newDirectoryStream(directory.path())) {
            for (var path : stream) {
                var text = nameOf(path.getFileName().toString());
                // What has no form in UTF-8 could not be asked for.
                if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
                    var name = FileName.of(text);
                    names.add(new Named(hash(name.bytes()), name));
                }
            }
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
        return sorted(names, directory.attributes());
    }

    /** Some archives write a slash behind the names of directories. */
    static String nameOf(String leaf) {
        return leaf.endsWith("/") ? leaf.substring(0, leaf.length() - 1) : leaf;
    }

    private static Listing sorted(List<Named> names, Attributes directory) {
        names.sort(
                (one, other) ->
                        one.cookie != other.cookie
                                ? Long.compare(one.cookie, other.cookie)
                                : Arrays.compareUnsigned(one.name.bytes(), other.name.bytes()));
        var cookies = new long[names.size()];
        var inOrder = new FileName[names.size()];
        long last = PARENT_COOKIE;
        for (int i = 0; i < cookies.length; i++) {
            // Two names of one hash get neighbouring cookies.
            last = Math.max(last + 1, names.get(i).cookie);
            cookies[i] = last;
            inOrder[i] = names.get(i).name;
        }
        var status = directory.status();
        long settledAt =
                Math.max(status.modified().seconds(), status.changed().seconds()) + SETTLED_SECONDS;
        boolean isSettled = Instant.now().getEpochSecond() > settledAt;
        return new Listing(cookies, inOrder, directory, isSettled, System.nanoTime());
    }

    /** FNV-1a over the bytes, mixed, and never negative: cookies are signed in some clients. */
    private static long hash(byte[] name) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : name) {
            hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
        }
        hash ^= hash >>> 32;
        hash *= 0x9e3779b97f4a7c15L;
        return Math.max(hash >>> 2, PARENT_COOKIE + 1);
    }
}
