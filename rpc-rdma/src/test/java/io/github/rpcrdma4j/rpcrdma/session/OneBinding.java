package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.function.IntFunction;

/**
 * The binding of a program with one version, numbered 1.
 *
 * @param rows the bulk items of each procedure
 */
public record OneBinding(int program, IntFunction<Eligibility> rows) implements UpperLayerBinding {
    @Override
    public int version() {
        return 1;
    }

    @Override
    public Eligibility eligibility(int procedure) {
        return rows.apply(procedure);
    }
}
