package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Verbs;
import java.util.List;
import java.util.Optional;

/** An adapter. */
public final class Adapter {
    static final String NONE =
            "there is no RDMA adapter: load the driver of a card, or add a soft one (rdma link add"
                    + " rxe0 type rxe netdev eth0)";

    private Adapter() {}

    /** Returns why adapters cannot be used, in one line; empty if the libraries are there. */
    public static Optional<String> missing() {
        return Verbs.missing();
    }

    /** Returns the names. */
    public static List<String> names() {
        return Device.all().stream().map(each -> each.name).toList();
    }
}
