package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.FileStatus;
import io.github.rpcrdma4j.nfs.server.store.Time;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.util.EnumSet;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TranslationTest {
    @Test
    void everyFailureHasItsOwnStatus() {
        var statuses = EnumSet.noneOf(Status.class);
        for (var failure : Failure.values()) {
            var status = Translation.status(failure);
            assertTrue(statuses.add(status), failure.name());
        }
        assertEquals(Status.JUKEBOX, Translation.status(Failure.AGAIN));
        assertEquals(Status.SERVERFAULT, Translation.status(Failure.FAULT));
    }

    @Test
    void timesAreTheNearestThatCanBeSaid() throws Exception {
        assertEquals(new Timestamp(0, 0), Translation.time(new Time(-1, 999_999_999)));
        assertEquals(new Timestamp(0, 1), Translation.time(new Time(0, 1)));
        assertEquals(new Timestamp(-1, 5), Translation.time(new Time(0xffff_ffffL, 5)));
        assertEquals(new Timestamp(-1, 999_999_999), Translation.time(new Time(0x1_0000_0000L, 5)));
        assertEquals(new Time(0xffff_ffffL, 7), Translation.time(new Timestamp(-1, 7)));
    }

    @Test
    void devicesKeepTheirNumbers() {
        var time = new Time(1, 2);
        var status =
                new FileStatus(
                        FileType.CHARACTER_DEVICE,
                        0620,
                        1,
                        2,
                        3,
                        4,
                        5,
                        0xfff,
                        0xffff_ffff,
                        6,
                        7,
                        time,
                        time,
                        time);
        assertEquals(0xfff_ffff_ffffL, Translation.attributes(status).device());
    }

    /** As at Linux, root alone gives a new file to others. */
    @Test
    void onlyRootGivesNewFilesAway() throws Exception {
        var none = SetAttributes.NONE;
        var wanted =
                new SetAttributes(
                        OptionalInt.of(0106755),
                        OptionalInt.of(5),
                        OptionalInt.of(6),
                        none.size(),
                        none.accessed(),
                        none.modified());
        var all = Translation.changesOfNew(wanted, new Caller.User(0, 9));
        assertEquals(Translation.changes(wanted), all);
        assertEquals(06755, all.mode().getAsInt());
        var others = Translation.changesOfNew(wanted, new Caller.User(7, 0, 0));
        assertTrue(others.uid().isEmpty() && others.gid().isEmpty());
        assertEquals(all.mode(), others.mode());
        var ofNone =
                new SetAttributes(
                        none.mode(),
                        OptionalInt.of(Caller.NO_ID),
                        OptionalInt.of(Caller.NO_ID),
                        none.size(),
                        none.accessed(),
                        none.modified());
        assertThrows(Refusal.class, () -> Translation.changesOfNew(ofNone, new Caller.User(0, 9)));
        assertTrue(!Translation.changesOfNew(ofNone, new Caller.User(7, 0)).changesOwner());
    }
}
