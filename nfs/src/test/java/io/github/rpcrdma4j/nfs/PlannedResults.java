package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrReader;

/** A binding that adds up the bound of a reply from its plan, as every binding does by default. */
public record PlannedResults(UpperLayerBinding whole) implements UpperLayerBinding {
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
        return whole.eligibility(procedure);
    }

    @Override
    public Plan plan(int procedure, XdrReader arguments) {
        return whole.plan(procedure, arguments);
    }
}
