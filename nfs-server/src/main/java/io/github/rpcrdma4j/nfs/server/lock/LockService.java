package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.server.driver.HostLocks;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** NLM and NSM with all that they need: their programs, and calls of hosts. */
public final class LockService implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Meanwhile a host that has restarted keeps its locks from others. */
    private static final Duration TIMEOUT_OF_CLAIM = Duration.ofSeconds(2);

    private final RpcProgram nlm4;
    private final List<RpcProgram> older;
    private final RpcProgram nsm;
    private final RpcProgram monitor;
    private final RestartClaims claims;
    private final RestartNotices notices;
    private final List<InetAddress> earlier;

    /**
     * @param accepted the flavors that at least one export accepts
     * @param epoch the number of this start of the server, larger than all before
     * @param earlier the records of earlier starts
     * @param rpcbindPort where the rpcbinds of hosts listen
     */
    public LockService(
            Exports exports,
            HostLocks locks,
            Set<SecurityFlavor> accepted,
            Callers callers,
            int epoch,
            Collection<ClientRecord> earlier,
            int rpcbindPort) {
        var hosts = new HostCalls(rpcbindPort, TIMEOUT);
        var callbacks = new NlmCallbacks(hosts);
        locks.onGrant(callbacks);
        var procedures = new LockProcedures(exports, locks);
        claims = new RestartClaims(locks, new HostCalls(rpcbindPort, TIMEOUT_OF_CLAIM));
        var nlm = new ArrayList<RpcProgram>();
        for (int version : new int[] {4, 3, 1}) {
            nlm.add(
                    new NlmProgram(
                            version, exports, accepted, callers, procedures, callbacks, claims));
        }
        nlm4 = nlm.getFirst();
        older = List.copyOf(nlm.subList(1, nlm.size()));
        // A host is up while the number of its start is odd.
        int state = 2 * epoch + 1;
        nsm = new NsmProgram(callers, claims, state, true);
        monitor = new NsmProgram(callers, claims, state, false);
        notices = new RestartNotices(hosts, state);
        this.earlier =
                earlier.stream()
                        .flatMap(each -> HostName.of(each.owner()).stream())
                        .map(HostName::networkAddress)
                        .distinct()
                        .flatMap(LockService::address)
                        .toList();
    }

    /** A record that names no address is of no use, and of no harm. */
    private static Stream<InetAddress> address(String text) {
        try {
            return Stream.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException _) {
            return Stream.empty();
        }
    }

    /** Returns the programs beside NFS version 3. */
    public List<RpcProgram> programs() {
        return List.of(nlm4, nsm);
    }

    /** Returns the programs that NFS version 2 needs as well. */
    public List<RpcProgram> version2Programs() {
        return older;
    }

    /** Returns NSM alone, for UDP. */
    public RpcProgram monitor() {
        return monitor;
    }

    /** Tells the hosts that had locks that the server has restarted. Does not wait. */
    public void tellHosts() {
        notices.start(earlier);
    }

    /** Calls hosts about restarts no more. Does not wait. */
    @Override
    public void close() {
        notices.close();
        claims.close();
    }
}
