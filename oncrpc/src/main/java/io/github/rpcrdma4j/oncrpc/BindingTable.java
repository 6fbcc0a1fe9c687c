package io.github.rpcrdma4j.oncrpc;

import java.util.Map;

/** A binding that lists the eligible items of each procedure. */
record BindingTable(int program, int version, Map<Integer, Eligibility> procedures)
        implements UpperLayerBinding {
    @Override
    public Eligibility eligibility(int procedure) {
        return procedures.getOrDefault(procedure, Eligibility.NONE);
    }
}
