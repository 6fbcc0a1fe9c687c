package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.util.Set;

/**
 * The objects that all connections of a server share.
 *
 * @param flavors the flavors that are accepted for every call
 */
record SharedObjects(
        Threads threads,
        RdmaProvider provider,
        ProtectionDomain domain,
        SegmentPool pool,
        ResponderDriver.Service service,
        Set<SecurityFlavor> flavors,
        Counters counters,
        Counters reverseCounters,
        RpcRdmaOptions options) {}
