package io.github.rpcrdma4j.nfs.state.table;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The addresses of a client: the one that it was made at, and those from where it has shown what no
 * other host knows. That is one of its session IDs, or, in minor version 0, its client ID together
 * with its name and verifier.
 *
 * <pre>
 *   unknown --session ID, or SETCLIENTID_CONFIRM--> of the client
 *      \--client ID--> heard --SETCLIENTID_CONFIRM--^
 * </pre>
 */
public final class ClientPlaces {
    /** How many addresses of one client are known, besides its first one. */
    public static final int MAX = 15;

    private final String first;

    /** The one that was shown longest ago at the start. */
    private final SequencedSet<String> others = new LinkedHashSet<>();

    /** Those of others that have sent the client ID, likewise. */
    private final SequencedSet<String> heard = new LinkedHashSet<>();

    private Consumer<String> onChange = _ -> {};

    /**
     * @param first where the client was made
     */
    public ClientPlaces(String first) {
        this.first = first;
    }

    public boolean contain(String place) {
        return first.equals(place) || others.contains(place);
    }

    /** Sets what is told of each address that comes, goes, or is known otherwise. */
    public void onChange(Consumer<String> action) {
        onChange = action;
    }

    /** Returns all of them, and those that have sent the client ID. */
    public Set<String> all() {
        var all = new LinkedHashSet<>(others);
        all.add(first);
        all.addAll(heard);
        return all;
    }

    /** The client is at a place. */
    public void add(String place) {
        boolean wasHeard = heard.remove(place);
        if (!first.equals(place)) {
            add(others, place);
        }
        if (wasHeard) {
            onChange.accept(place);
        }
    }

    /** A sender at a place that is none of the client knows its client ID. */
    public void hear(String place) {
        add(heard, place);
    }

    public boolean isHeard(String place) {
        return heard.contains(place);
    }

    private void add(SequencedSet<String> places, String place) {
        boolean isNew = !places.contains(place);
        places.addLast(place);
        if (isNew) {
            onChange.accept(place);
        }
        if (places.size() > MAX) {
            onChange.accept(places.removeFirst());
        }
    }
}
