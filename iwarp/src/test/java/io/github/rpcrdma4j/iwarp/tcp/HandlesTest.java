package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class HandlesTest {
    private static final int REGIONS = 1000;

    /**
     * Goal: a peer cannot guess the next handle. Method: hardly any difference between two
     * consecutive handles occurs twice.
     */
    @Test
    @Tag("8166-8.1.2-1")
    void followNoPattern() {
        var memory = Arena.ofAuto().allocate(8);
        var handleSteps = new HashSet<Integer>();
        var addressSteps = new HashSet<Long>();
        try (var domain = new IwarpProvider().allocateProtectionDomain()) {
            var windows = SoftwareDomain.of(domain).windows();
            var region = domain.register(memory);
            var last = windows.bind(region, 0, 8, Set.of(Access.REMOTE_READ));
            for (int i = 0; i < REGIONS; i++) {
                var next = windows.bind(region, 0, 8, Set.of(Access.REMOTE_READ));
                handleSteps.add(next.handle() - last.handle());
                addressSteps.add(next.address() - last.address());
                last = next;
            }
        }
        assertTrue(handleSteps.size() > REGIONS - 10, handleSteps::toString);
        assertTrue(addressSteps.size() > REGIONS - 10, addressSteps::toString);
    }
}
