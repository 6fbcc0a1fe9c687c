package io.github.rpcrdma4j.nfs.directories.nio;

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
 * Lists the names in directories in a stable order: by a hash of the name, which is also the
 * cookie. So a listing continues correctly after names were added or removed, and after a restart.
 * Recent listings are cached, for directories that clients read in pages or repeatedly.
 * Thread-safe.
 *
 * <p>Tests: {@code NioStoreContractTest}.
 */
final class Listings {
    /** The cookie of ".". */
    static final long SELF_COOKIE = 1;

    /** The cookie of "..". */
    static final long PARENT_COOKIE = 2;

    private static final int KEPT_MAX = 64;
    private static final int KEPT_NAMES_MAX = 1_000_000;

    /** How long later pages of a directory come from the listing of its first page. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * After this time since its last change, the next change of a directory gives it a new change
     * time.
     */
    private static final long SETTLED_SECONDS = 2;

    /**
     * The names of a directory in ascending order of cookies.
     *
     * @param cookies all above {@link #PARENT_COOKIE}
     * @param directory its attributes from before it was read
     * @param isSettled whether its times show reliably if its names have changed since
     */
    record Listing(
            long[] cookies,
            FileName[] names,
            Attributes directory,
            boolean isSettled,
            long takenNanos) {
        /** Returns the index of the first name after a cookie. */
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

    private record ListedName(long cookie, FileName name) {}

    private final Map<Inode, Listing> kept = new LinkedHashMap<>(16, 0.75f, true);
    private int keptNames;

    /**
     * Returns the names of a directory.
     *
     * @param goesOn whether this is a later page, for which a recent listing suffices
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
        var names = new ArrayList<ListedName>();
        try (var stream = Files.newDirectoryStream(directory.path())) {
            for (var path : stream) {
                var text = nameOf(path.getFileName().toString());
                // A client could not request a name that UTF-8 cannot encode.
                if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
                    var name = FileName.of(text);
                    names.add(new ListedName(hash(name.bytes()), name));
                }
            }
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
        return sorted(names, directory.attributes());
    }

    /** Returns a name without the slash that some archives append to directories. */
    static String nameOf(String leaf) {
        return leaf.endsWith("/") ? leaf.substring(0, leaf.length() - 1) : leaf;
    }

    private static Listing sorted(List<ListedName> names, Attributes directory) {
        names.sort(
                (one, other) ->
                        one.cookie != other.cookie
                                ? Long.compare(one.cookie, other.cookie)
                                : Arrays.compareUnsigned(one.name.bytes(), other.name.bytes()));
        var cookies = new long[names.size()];
        var inOrder = new FileName[names.size()];
        long last = PARENT_COOKIE;
        for (int i = 0; i < cookies.length; i++) {
            // Two names with equal hashes get adjacent cookies.
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

    /**
     * Returns a mixed FNV-1a hash. It is never negative, because some clients treat cookies as
     * signed.
     */
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
