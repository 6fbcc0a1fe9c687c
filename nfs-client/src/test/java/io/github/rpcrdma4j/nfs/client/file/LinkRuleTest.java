package io.github.rpcrdma4j.nfs.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rule of the kernel, by a table, and for all modes of directories. */
class LinkRuleTest {
    private static FileAttributes file(FileType type, int mode, int uid) {
        var time = Instant.EPOCH;
        return new FileAttributes(
                type, mode, 1, uid, 0, 0, 0, 0, 0, new FileSystemId(1, 0), 1, time, time, time);
    }

    private static boolean follows(int mode, int directory, int link, Credential caller) {
        return LinkRule.follows(
                file(FileType.DIRECTORY, mode, directory),
                file(FileType.SYMBOLIC_LINK, 0777, link),
                caller);
    }

    private static Credential user(long uid) {
        // The groups do not count, nor does a group with the number of the owner.
        return new Credential.Sys(0, "box", (int) uid, 7, List.of(7));
    }

    @ParameterizedTest
    @CsvSource({
        "1777, 0, 7, 0, false",
        "1777, 0, 0, 0, true",
        "1777, 0, 0, 7, true",
        "1777, 0, 7, 7, true",
        "1777, 7, 7, 0, true",
        "1777, 7, 0, 0, true",
        "1777, 7, 0, 8, false",
        "1777, 0, 4294967294, 0, false",
        "1777, 0, 4294967294, 4294967294, true",
        "1002, 0, 7, 0, false",
        "7777, 0, 7, 0, false",
        "0777, 0, 7, 0, true",
        "1775, 0, 7, 0, true",
        "1770, 0, 7, 0, true",
        "0755, 0, 7, 0, true",
    })
    void inASharedDirectoryLinksOfTheCallerAndOfItsOwnerAreFollowed(
            String mode, long directory, long link, long caller, boolean followed) {
        assertEquals(
                followed,
                follows(Integer.parseInt(mode, 8), (int) directory, (int) link, user(caller)));
    }

    @Test
    void noModeButStickyAndOpenToAllRefusesALink() {
        for (int mode = 0; mode <= 07777; mode++) {
            boolean shared = (mode & 01000) != 0 && (mode & 00002) != 0;
            assertEquals(!shared, follows(mode, 0, 7, user(0)), Integer.toOctalString(mode));
        }
    }

    @Test
    void aCallerWithoutANumberOwnsNoLink() {
        var others =
                List.of(
                        new Credential.None(),
                        new Credential.Principal("root@EXAMPLE.ORG", SecurityFlavor.KRB5P));
        for (var each : others) {
            assertEquals(false, follows(01777, 7, 0, each));
            assertEquals(false, follows(01777, 0, 7, each));
            assertEquals(true, follows(01777, 7, 7, each));
            assertEquals(true, follows(0777, 0, 7, each));
        }
    }
}
