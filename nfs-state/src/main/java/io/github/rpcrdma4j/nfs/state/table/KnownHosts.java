package io.github.rpcrdma4j.nfs.state.table;

import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Predicate;

/**
 * The hosts that a notice of a restart may be about, by their addresses and names. One address may
 * have thousands, so a notice does not look at all of them.
 */
public final class KnownHosts {
    /** If a notice fits so many hosts, it is about none. */
    private static final int MANY = 2;

    private static final SequencedSet<HostName> NOBODY =
            Collections.unmodifiableSequencedSet(new LinkedHashSet<>());

    /** A whole name, or its part before the first dot, of a host at an address. */
    private record At(String address, String text) {
        @Override
        public int hashCode() {
            return KeyedHash.of(KeyedHash.of(address), KeyedHash.of(text));
        }
    }

    /** Hosts may have gone since they were added. */
    private final Predicate<HostName> isThere;

    private final Map<String, SequencedSet<HostName>> byAddress = new HashMap<>();
    private final Map<At, SequencedSet<HostName>> byName = new HashMap<>();
    private final Map<At, SequencedSet<HostName>> byLabel = new HashMap<>();

    /**
     * @param isThere whether a host has, or may reclaim, anything
     */
    public KnownHosts(Predicate<HostName> isThere) {
        this.isThere = isThere;
    }

    public void add(HostName host) {
        var text = HostRestart.text(host.name());
        put(byAddress, host.address(), host);
        put(byName, new At(host.address(), text), host);
        put(byLabel, new At(host.address(), HostRestart.label(text)), host);
    }

    private static <K> void put(Map<K, SequencedSet<HostName>> map, K key, HostName host) {
        map.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add(host);
    }

    /** Forgets a host, unless it may still come back. */
    public void leave(HostName host) {
        if (!isThere.test(host)) {
            remove(host);
        }
    }

    private void remove(HostName host) {
        var text = HostRestart.text(host.name());
        takeOut(byAddress, host.address(), host);
        takeOut(byName, new At(host.address(), text), host);
        takeOut(byLabel, new At(host.address(), HostRestart.label(text)), host);
    }

    private static <K> void takeOut(Map<K, SequencedSet<HostName>> map, K key, HostName host) {
        map.computeIfPresent(
                key,
                (_, hosts) -> {
                    hosts.remove(host);
                    return hosts.isEmpty() ? null : hosts;
                });
    }

    /**
     * Returns the host that a notice is about: the one that locks with this name. Hosts may add
     * their domain to their name in a notice, or leave it out, or call themselves by their address.
     * If that fits several hosts, the notice is about none: it would take the locks of others.
     */
    public Optional<HostName> meant(HostRestart restart) {
        var address = restart.address();
        var text = HostRestart.text(restart.name());
        var exact = exact(byName.getOrDefault(new At(address, text), NOBODY), restart);
        if (exact.isPresent()) {
            return exact;
        }
        var label = new At(address, HostRestart.label(text));
        var fitting = new ArrayList<HostName>();
        if (text.equals(address)) {
            addSome(byAddress.getOrDefault(address, NOBODY), fitting);
        } else if (HostRestart.hasDomain(text)) {
            // Those with the same domain, and that without any.
            addSome(byName.getOrDefault(new At(address, text), NOBODY), fitting);
            addSome(byName.getOrDefault(label, NOBODY), fitting);
        } else {
            addSome(byLabel.getOrDefault(label, NOBODY), fitting);
        }
        return fitting.size() == 1 ? Optional.of(fitting.getFirst()) : Optional.empty();
    }

    private Optional<HostName> exact(SequencedSet<HostName> alike, HostRestart restart) {
        return HostName.at(restart.address(), restart.name())
                .filter(alike::contains)
                .filter(isThere);
    }

    /** Adds hosts, but not many. Each one that is found to have gone is not looked at again. */
    private void addSome(SequencedSet<HostName> hosts, List<HostName> fitting) {
        var gone = new ArrayList<HostName>();
        for (var each : hosts) {
            if (fitting.size() == MANY) {
                break;
            }
            (isThere.test(each) ? fitting : gone).add(each);
        }
        gone.forEach(this::remove);
    }
}
