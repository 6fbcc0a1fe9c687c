package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.LongestResults;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: plans with attributes of files have room for the longest values that are provided for. */
class FilePlansTest {
    private static final FileHandle FILE = new FileHandle(new byte[] {1});
    private static final RemotePlace PLACE = new RemotePlace(FILE, "name");

    /** Status, tag and count. */
    private static final int ENVELOPE = 12;

    @Test
    @Tag("8267-6.2-1")
    void eachPlanHasRoomForItsLongestResults() {
        var plans =
                List.of(
                        FilePlans.status(Plan.at(Nfs4Values.handle(FILE))),
                        FilePlans.status(FilePlans.directory(PLACE).lookup(PLACE.name()).handle()),
                        FilePlans.changing(FILE, AttributeChanges.ofMode(0600)),
                        FilePlans.removing(FilePlans.directory(PLACE), PLACE),
                        FilePlans.renaming(PLACE, PLACE));
        for (var plan : plans) {
            long bytes = LongestResults.of(plan);
            assertTrue(
                    ENVELOPE + plan.resultsMax() >= bytes,
                    () -> plan.operations() + ": " + plan.resultsMax() + ", may need " + bytes);
        }
    }
}
