package io.github.rpcrdma4j.nfs.server.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.state.Host;
import io.github.rpcrdma4j.nfs.server.v4.CallPlaces.Kind;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: calls of one kind leave the places of the other one, and no host takes all. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallPlacesTest {
    private final CallPlaces places = new CallPlaces();

    private record TestHost(int number) implements Host {}

    private int take(Kind kind, long clientId, int host) {
        int taken = 0;
        while (places.take(kind, clientId, Optional.of(new TestHost(host)))) {
            taken++;
        }
        return taken;
    }

    /** Whole table: what one client gets, and all clients of its host. */
    @ParameterizedTest
    @CsvSource({"QUESTION,8,32", "OTHER,16,64"})
    void eachKindHasItsPlaces(Kind kind, int ofClient, int ofHost) {
        var others = kind == Kind.OTHER ? Kind.QUESTION : Kind.OTHER;
        assertEquals(ofClient, take(kind, 1, 1));
        assertFalse(places.take(kind, 2, Optional.empty()), "there is no such client");
        int taken = ofClient;
        for (long client = 2; client <= ofHost; client++) {
            taken += take(kind, client, 1);
        }
        assertEquals(ofHost, taken);
        assertTrue(take(others, 1, 1) > 0);
        places.giveBack(kind, 1);
        assertEquals(1, take(kind, 1, 1));
        assertTrue(take(kind, 1000, 2) > 0, "another host");
    }

    @Test
    void whoWaitsGoesOnWhenACallHasEnded() throws Exception {
        assertTrue(places.take(Kind.OTHER, 1, Optional.of(new TestHost(1))));
        long seen = places.ended();
        places.awaitEnd(seen, 1);
        assertEquals(seen, places.ended(), "the time is over");
        var ending = Thread.ofVirtual().start(() -> places.giveBack(Kind.OTHER, 1));
        places.awaitEnd(seen, Long.MAX_VALUE / 4);
        assertEquals(seen + 1, places.ended());
        ending.join();
        places.awaitEnd(seen, Long.MAX_VALUE / 4);
    }
}
