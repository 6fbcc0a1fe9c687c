package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.contract.Difference;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;

/** The contract on the soft adapter for iWARP of Linux. Only {@code interop/adapters} runs it. */
class SiwContract extends AdapterContract {
    private static final String ADAPTER = "siw0";

    SiwContract() {
        super(ADAPTER);
    }

    @Override
    protected Set<Difference> differences() {
        return EnumSet.of(
                Difference.PINS_MEMORY,
                Difference.PROGRESSES_ALONE,
                Difference.HIDES_HANDLES,
                Difference.HIDES_REASONS,
                Difference.FLUSHES_REFUSED_READS,
                Difference.FLUSHES_CLOSED_RECEIVES,
                Difference.REFUSES_ENDED_HANDLES,
                Difference.HIDES_INVALIDATIONS,
                Difference.ALLOWS_ALL_READS);
    }

    @Override
    protected int requestDataMax() {
        return 251;
    }

    @Override
    protected int acceptDataMax() {
        return 251;
    }

    @BeforeAll
    static void requireAdapter() {
        requireAdapter(ADAPTER);
    }
}
