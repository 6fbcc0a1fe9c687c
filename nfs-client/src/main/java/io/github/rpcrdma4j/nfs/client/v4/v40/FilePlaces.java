package io.github.rpcrdma4j.nfs.client.v4.v40;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Where regular files were found of late. Version 4.0 opens files by their names alone (RFC 7530,
 * Section 16.16). A name may be that of another file by now, so who opens a file by it looks at the
 * handle. Thread-safe.
 *
 * <p>Tests: {@code FilePlacesTest}.
 */
public final class FilePlaces {
    private final int max;
    private final SequencedMap<FileHandle, RemotePlace> places = new LinkedHashMap<>();
    private final Map<RemotePlace, FileHandle> files = new HashMap<>();

    /**
     * @param max how many files are remembered
     */
    public FilePlaces(int max) {
        this.max = max;
    }

    /** Takes note of the place of a file. */
    public synchronized void found(RemotePlace place, FileHandle file) {
        forget(place);
        var before = places.remove(file);
        if (before != null) {
            files.remove(before);
        }
        places.put(file, place);
        files.put(place, file);
        if (places.size() > max) {
            forget(places.firstEntry().getValue());
        }
    }

    /** Takes note that a file has another name. */
    public synchronized void renamed(RemotePlace from, RemotePlace to) {
        var file = files.get(from);
        forget(to);
        if (file != null) {
            found(to, file);
        }
    }

    /** Returns where a file was found. */
    public synchronized Optional<RemotePlace> of(FileHandle file) {
        return Optional.ofNullable(places.get(file));
    }

    private void forget(RemotePlace place) {
        var file = files.remove(place);
        if (file != null) {
            places.remove(file);
        }
    }
}
