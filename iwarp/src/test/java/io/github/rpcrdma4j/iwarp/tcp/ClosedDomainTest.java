package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareRegion;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: memory can be freed after a close. Method: a copy is in progress during the close. */
class ClosedDomainTest {
    private final SoftwareDomain domain = new SoftwareDomain(new Random(7));
    private final SoftwareRegion region = domain.register(Arena.ofAuto().allocate(64));

    @Test
    @Tag("5040-8.1-1")
    void aDomainClosesOnlyAfterThePlacementInProgress() throws Exception {
        waits(_ -> domain.close());
    }

    @Test
    void aRegionClosesOnlyAfterThePlacementInProgress() throws Exception {
        waits(SoftwareRegion::close);
    }

    @Test
    void aRegionOfAClosingDomainClosesOnlyAfterThePlacementInProgress() throws Exception {
        assertTrue(region.acquire());
        var first = Thread.ofVirtual().start(domain::close);
        waitsBehind(region::close);
        first.join();
    }

    private void waits(Consumer<SoftwareRegion> close) throws Exception {
        assertTrue(region.acquire());
        waitsBehind(() -> close.accept(region));
        assertEquals(0, domain.registeredRegions());
    }

    private void waitsBehind(Runnable close) throws Exception {
        var closing = Thread.ofPlatform().start(close);
        Eventually.await(() -> !region.isValid());
        assertFalse(region.acquire());
        assertTrue(closing.isAlive());
        region.release();
        closing.join();
    }

    @Test
    void aClosedDomainRegistersNoRegion() {
        domain.close();
        assertFalse(region.isValid());
        assertThrows(
                IllegalStateException.class, () -> domain.register(Arena.ofAuto().allocate(64)));
        region.close();
        domain.close();
    }
}
