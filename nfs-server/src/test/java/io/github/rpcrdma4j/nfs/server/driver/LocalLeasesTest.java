package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a delegation ends before local processes go on. */
class LocalLeasesTest {
    @ParameterizedTest
    @CsvSource({"45000,42000", "90000,87000", "7000,4000", "6000,3000", "5000,2500", "1000,500"})
    void clientsGetLessTimeThanLocalProcessesWait(long kernel, long clients) {
        assertEquals(
                Duration.ofMillis(clients), LocalLeases.timeForClients(Duration.ofMillis(kernel)));
    }
}
