package io.github.rpcrdma4j.nfs.server.state;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * The addresses from which a client of minor version 0 is used: those of its SETCLIENTID_CONFIRM,
 * which proves that the client is there. It has the random verifier that SETCLIENTID returned to
 * who knows the name of the client and its own verifier.
 */
final class ClientPlaces {
    /** How many addresses of one client are known; then the one that was added first goes. */
    static final int MAX = 16;

    private final SequencedSet<String> known = new LinkedHashSet<>();

    boolean contain(String place) {
        return known.contains(place);
    }

    void add(String place) {
        known.addLast(place);
        if (known.size() > MAX) {
            known.removeFirst();
        }
    }
}
