package io.github.rpcrdma4j.nfs.server.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class StatusTranslationTest {
    @Test
    void everyFailureOfVersionThreeHasItsOwnStatus() {
        var statuses = EnumSet.noneOf(Status.class);
        var ofVersionFour =
                EnumSet.of(Failure.WRONGSEC, Failure.MOVED, Failure.NOXATTR, Failure.XATTR2BIG);
        for (var failure : EnumSet.complementOf(ofVersionFour)) {
            var status = StatusTranslation.status(failure);
            assertTrue(statuses.add(status), failure.name());
        }
        assertEquals(Status.JUKEBOX, StatusTranslation.status(Failure.AGAIN));
        assertEquals(Status.SERVERFAULT, StatusTranslation.status(Failure.FAULT));
        assertEquals(Status.ACCES, StatusTranslation.status(Failure.WRONGSEC));
        assertEquals(Status.ACCES, StatusTranslation.status(Failure.MOVED));
    }

    @Test
    void timesAreTheNearestThatCanBeSaid() throws Exception {
        assertEquals(new Timestamp(0, 0), StatusTranslation.time(new Time(-1, 999_999_999)));
        assertEquals(new Timestamp(0, 1), StatusTranslation.time(new Time(0, 1)));
        assertEquals(new Timestamp(-1, 5), StatusTranslation.time(new Time(0xffff_ffffL, 5)));
        assertEquals(
                new Timestamp(-1, 999_999_999),
                StatusTranslation.time(new Time(0x1_0000_0000L, 5)));
        assertEquals(new Time(0xffff_ffffL, 7), StatusTranslation.time(new Timestamp(-1, 7)));
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
                        7,
                        time,
                        time,
                        time,
                        Optional.of(time));
        assertEquals(0xfff_ffff_ffffL, StatusTranslation.attributes(status).device());
    }

    /** As in Linux, only root may choose the owner of a new file. */
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
        var all = StatusTranslation.changesOfNew(wanted, new Caller.User(0, 9));
        assertEquals(StatusTranslation.changes(wanted), all);
        assertEquals(06755, all.mode().getAsInt());
        var others = StatusTranslation.changesOfNew(wanted, new Caller.User(7, 0, 0));
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
        assertThrows(
                Refusal.class, () -> StatusTranslation.changesOfNew(ofNone, new Caller.User(0, 9)));
        assertTrue(!StatusTranslation.changesOfNew(ofNone, new Caller.User(7, 0)).changesOwner());
    }
}
