package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: it is known where no other user may rename the files of a user. */
class ResumedTransferTest {
    /**
     * Whole table: the owner of the directory, and its mode; the user is 1000. The bits of the
     * group may be those of an access control list.
     */
    @ParameterizedTest
    @CsvSource({
        "1000, 755, true", "1000, 700, true", "1000, 775, false", "1000, 777, false",
        "1000, 757, false", "1000, 1777, true", "1000, 1775, true", "0, 755, true",
        "0, 1777, true", "0, 777, false", "0, 775, false", "2000, 755, false",
        "2000, 1777, false",
    })
    void othersMayRenameBy(int uid, String mode, boolean isPrivate) {
        var around = new ResumedTransfer.Around(uid, Integer.parseInt(mode, 8));
        assertEquals(isPrivate, around.isPrivateTo(1000));
    }
}
