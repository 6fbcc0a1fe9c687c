package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.function.Predicate;

/**
 * The recalls that wait for a permit. Clients get permits in turn, so one with many recalls keeps
 * no other one waiting for all of them. Not thread-safe.
 */
final class WaitingRecalls {
    /**
     * A recall that waits.
     *
     * @param place that of its client
     */
    record Waiting(Action.Recall call, HostPlace place) {}

    /** Those of each client, in the order of the clients' turns. */
    private final SequencedMap<Long, Queue<Waiting>> ofClients = new LinkedHashMap<>();

    boolean has(long clientId) {
        return ofClients.containsKey(clientId);
    }

    void add(Waiting recall) {
        ofClients.computeIfAbsent(recall.call.clientId(), _ -> new ArrayDeque<>()).add(recall);
    }

    /**
     * Takes out those that can have a permit, in the order of their turns.
     *
     * @param take takes a permit if there is one
     */
    List<Action.Recall> take(Predicate<Waiting> take) {
        var taken = new ArrayList<Action.Recall>();
        boolean isAny;
        do {
            isAny = takeOneOfEach(take, taken);
        } while (isAny);
        return taken;
    }

    private boolean takeOneOfEach(Predicate<Waiting> take, List<Action.Recall> taken) {
        var served = new LinkedHashMap<Long, Queue<Waiting>>();
        var clients = ofClients.entrySet().iterator();
        boolean isAny = false;
        while (clients.hasNext()) {
            var client = clients.next();
            var own = client.getValue();
            if (take.test(own.element())) {
                isAny = true;
                taken.add(own.remove().call);
                clients.remove();
                if (!own.isEmpty()) {
                    served.put(client.getKey(), own);
                }
            }
        }
        ofClients.putAll(served);
        return isAny;
    }
}
