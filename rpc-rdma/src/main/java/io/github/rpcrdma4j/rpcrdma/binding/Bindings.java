package io.github.rpcrdma4j.rpcrdma.binding;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import java.util.Collection;
import java.util.List;

/** The bindings that an endpoint knows. Immutable. */
public final class Bindings {
    private final List<UpperLayerBinding> bindings;

    public Bindings(Collection<? extends UpperLayerBinding> bindings) {
        this.bindings = List.copyOf(bindings);
    }

    /**
     * Returns the eligibility of a procedure's data items. Nothing is eligible without a binding.
     */
    public Eligibility eligibility(int program, int version, int procedure) {
        for (var binding : bindings) {
            if (binding.program() == program && binding.version() == version) {
                return binding.eligibility(procedure);
            }
        }
        return Eligibility.NONE;
    }
}
