package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import java.io.IOException;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: one answer counts for a file system, and a failure for no other question. */
class RememberedTraitsTest {
    private static final NewFileTraits MAPPED = new NewFileTraits(OptionalInt.of(7005), false);

    private final RememberedTraits traits = new RememberedTraits();
    private int asked;

    /** Answers, unless no file can be made. */
    private NewFileTraits.Asking asking(boolean fails) {
        return new NewFileTraits.Asking() {
            @Override
            public NewFileTraits ask() throws IOException {
                makeFile();
                return MAPPED;
            }

            @Override
            public boolean givesTo(int group) throws IOException {
                makeFile();
                return group == 1;
            }

            private void makeFile() throws IOException {
                asked++;
                if (fails) {
                    throw new IOException("permission denied");
                }
            }
        };
    }

    @Test
    void eachFileSystemIsAskedOnceForEachGroup() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertEquals(MAPPED, traits.of(new FileSystemId(1, 0), asking(false)).ask());
            assertEquals(MAPPED, traits.of(new FileSystemId(2, 0), asking(false)).ask());
            assertTrue(traits.of(new FileSystemId(1, 0), asking(false)).givesTo(1));
            assertFalse(traits.of(new FileSystemId(1, 0), asking(false)).givesTo(2));
        }
        assertEquals(4, asked);
    }

    @Test
    void aDirectoryThatTakesNoFileAnswersNothing() throws Exception {
        assertEquals(NewFileTraits.USUAL, traits.of(new FileSystemId(1, 0), asking(true)).ask());
        assertTrue(traits.of(new FileSystemId(1, 0), asking(true)).givesTo(2));
        assertEquals(MAPPED, traits.of(new FileSystemId(1, 0), asking(false)).ask());
        assertFalse(traits.of(new FileSystemId(1, 0), asking(false)).givesTo(2));
        assertEquals(MAPPED, traits.of(new FileSystemId(1, 0), asking(true)).ask());
        assertEquals(4, asked);
    }
}
