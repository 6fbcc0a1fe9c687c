package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.nfs.server.export.Clients;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The hosts of rules that are read together. Each name is looked up once, however many rules have
 * it, so that all rules have the same addresses, and a resolver without an answer is waited for
 * once. Not thread-safe.
 */
final class RuleHosts {
    private final Map<String, Optional<Clients>> known = new HashMap<>();

    /**
     * Returns the hosts of a text.
     *
     * @throws UnknownHostException if it is a name without an address; the message is meant for a
     *     user
     * @throws IllegalArgumentException if the text is malformed; the message is meant for a user
     */
    Clients of(String text) throws UnknownHostException {
        var there = known.get(text);
        if (there != null) {
            return there.orElseThrow(() -> new UnknownHostException("unknown host: " + text));
        }
        try {
            var clients = Clients.of(text);
            known.put(text, Optional.of(clients));
            return clients;
        } catch (UnknownHostException unknown) {
            known.put(text, Optional.empty());
            throw unknown;
        }
    }
}
