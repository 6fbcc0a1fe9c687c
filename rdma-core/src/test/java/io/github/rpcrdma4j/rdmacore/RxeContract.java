package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.contract.Difference;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;

/** The contract on the soft adapter for RoCE of Linux. Only {@code interop/adapters} runs it. */
class RxeContract extends AdapterContract {
    private static final String ADAPTER = "rxe0";

    RxeContract() {
        super(ADAPTER);
    }

    @Override
    protected Set<Difference> differences() {
        return EnumSet.of(
                Difference.PADS_PRIVATE_DATA,
                Difference.PINS_MEMORY,
                Difference.PROGRESSES_ALONE,
                Difference.HIDES_HANDLES,
                Difference.HIDES_REASONS,
                Difference.FLUSHES_SHORT_RECEIVES,
                Difference.FLUSHES_CLOSED_RECEIVES,
                Difference.REFUSES_ENDED_HANDLES);
    }

    @Override
    protected int requestDataMax() {
        return 56;
    }

    @Override
    protected int acceptDataMax() {
        return 196;
    }

    @BeforeAll
    static void requireAdapter() {
        requireAdapter(ADAPTER);
    }
}
