package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.FileId;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class HandlesTest {
    private static FileId id(int length) {
        var bytes = ByteBuffer.allocate(9 + length).putLong(0x0102030405060708L).put((byte) 0x81);
        for (int i = 0; i < length; i++) {
            bytes.put((byte) i);
        }
        return new FileId(bytes.array());
    }

    @Test
    void knowsTheFileSystemAndTheHandleOfAnId() {
        var scratch = new Scratch();
        for (int length = 1; length <= Handles.KERNEL_MAX; length++) {
            var id = id(length);
            assertTrue(Handles.isWellFormed(id));
            assertTrue(Handles.isOfKernel(id));
            assertEquals(0x0102030405060708L, Handles.key(id));
            Handles.put(scratch, id);
            assertEquals(length, scratch.word(Scratch.HANDLE));
            assertEquals(0x81, scratch.word(Scratch.HANDLE + 4));
        }
    }

    @Test
    void takesNoIdThatIsTooShortOrTooLong() {
        for (int length = 0; length <= 9; length++) {
            assertFalse(Handles.isWellFormed(new FileId(new byte[length])));
        }
        assertFalse(Handles.isWellFormed(new FileId(new byte[FileId.BYTES_MAX])));
    }

    @Test
    void keepsTheBytesOfAnId() {
        assertArrayEquals(id(8).bytes(), new FileId(id(8).bytes().clone()).bytes());
        assertEquals(id(8), id(8));
        assertEquals(id(8).hashCode(), id(8).hashCode());
    }
}
