package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.List;

/**
 * The binding of a requester that does not know how many chunks its server accepts: a call has at
 * most one Read chunk and one Write chunk for data (RFC 8267-6.4.2-1). Immutable.
 */
record FewChunks(UpperLayerBinding whole) implements UpperLayerBinding {
    /** The most chunks of each kind that every server accepts. */
    static final int MAX = 1;

    /** The bindings of RFC 8267 for such a requester. */
    static final List<FewChunks> ALL = NfsBindings.ALL.stream().map(FewChunks::new).toList();

    @Override
    public int program() {
        return whole.program();
    }

    @Override
    public int version() {
        return whole.version();
    }

    @Override
    public Eligibility eligibility(int procedure) {
        var all = whole.eligibility(procedure);
        return new Eligibility(
                Math.min(all.arguments(), MAX),
                Math.min(all.results(), MAX),
                all.fetchedReplies(),
                all.unknownLength(),
                all.pairing());
    }
}
