package io.github.rpcrdma4j.rpcrdma.binding;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.xdr.XdrReader;
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
        var binding = find(program, version);
        return binding == null ? Eligibility.NONE : binding.eligibility(procedure);
    }

    /**
     * Returns the most result targets that a call may have: the number of its bulk results, or
     * {@link Integer#MAX_VALUE} without a binding.
     */
    public int resultTargetsMax(int program, int version, int procedure) {
        var binding = find(program, version);
        return binding == null ? Integer.MAX_VALUE : binding.eligibility(procedure).results();
    }

    /**
     * Returns the most bytes of the results of a call, with its bulk results.
     *
     * @param arguments positioned at the arguments; it is left where reading ended
     * @param unknown what a result counts whose length is not bounded
     */
    public long replyBytesMax(CallHeader call, XdrReader arguments, long unknown) {
        var binding = find(call.program(), call.version());
        return binding == null ? 0 : binding.resultsMax(call.procedure(), arguments, unknown);
    }

    /** Returns the binding of a program, or null if there is none. */
    private UpperLayerBinding find(int program, int version) {
        for (var binding : bindings) {
            if (binding.program() == program && binding.version() == version) {
                return binding;
            }
        }
        return null;
    }
}
