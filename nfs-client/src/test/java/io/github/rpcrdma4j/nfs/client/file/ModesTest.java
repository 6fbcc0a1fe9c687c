package io.github.rpcrdma4j.nfs.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Goal: other users may not read or write more in a copy than in its source. Method: all modes. */
class ModesTest {
    private static final int ALL = 07777;

    /** The rights of the group and of others to read and write. */
    private static final int OF_OTHERS = 0066;

    @Test
    void aNewFileHasThePermissionsOfItsSourceLessTheUmask() {
        for (int source = 0; source <= ALL; source++) {
            for (int umask : new int[] {0, 022, 027, 077, 0777}) {
                assertEquals(source & 0777 & ~umask, Modes.made(source, umask));
            }
        }
    }

    @Test
    void aFileThatIsReplacedIsOpenToNoMoreUsersThanBeforeOrThanTheSource() {
        for (int source = 0; source <= ALL; source++) {
            for (int replaced = 0; replaced <= ALL; replaced++) {
                int mode = Modes.replacing(replaced, source);
                assertEquals(0, mode & ~replaced);
                assertEquals(0, mode & ~source & OF_OTHERS);
                // All other bits stay, except set-user-ID, set-group-ID and sticky.
                assertEquals(replaced & 0777 & ~(OF_OTHERS & ~source), mode);
            }
        }
    }

    @Test
    void aFileThatGoesToAnotherGroupLetsItDoWhatOthersMay() {
        for (int mode = 0; mode <= 0777; mode++) {
            int other = Modes.withoutGroup(mode);
            assertEquals(mode & ~0070, other & ~0070);
            assertEquals(mode >> 3 & mode & 7, other >> 3 & 7);
        }
    }

    @Test
    void aFileWhoseOwnerIsNotKeptRunsAsNoOther() {
        for (int source = 0; source <= ALL; source++) {
            assertEquals(source & 01777, Modes.withoutOwner(source));
        }
    }

    @Test
    void aDirectoryKeepsThatItsGroupIsInherited() {
        assertEquals(02755, Modes.ofDirectory(0755, 02700));
        assertEquals(0755, Modes.ofDirectory(0755, 0700));
    }
}
