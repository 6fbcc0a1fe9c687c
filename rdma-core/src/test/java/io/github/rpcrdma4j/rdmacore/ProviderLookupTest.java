package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.RdmaProvider;
import org.junit.jupiter.api.Test;

/** The class path of these tests has no other provider. */
class ProviderLookupTest {
    @Test
    void isFoundByItsName() {
        assertEquals("rdma-core", RdmaProvider.find("rdma-core").orElseThrow().name());
    }

    /** An adapter does not reach every address. So a program must name the provider. */
    @Test
    void isNotTheProviderThatProgramsShareByDefault() {
        var none = assertThrows(IllegalStateException.class, RdmaProvider::shared);
        assertTrue(none.getMessage().startsWith("no RDMA provider was found"), none::getMessage);
    }
}
