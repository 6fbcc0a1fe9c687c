package io.github.rpcrdma4j.nfs.mount;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.ProgramVector;
import io.github.rpcrdma4j.nfs.mount.Mount1.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.xdr.XdrException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Goal: results of version 1 are those of its definition. Method: messages that {@code
 * program_vectors.py} made from the {@code mount.x} of another project.
 */
class Mount1Test {
    private static boolean isMnt(ProgramVector vector) {
        return !vector.isCall() && vector.procedure() == Mount1.Procedure.MNT.number();
    }

    @Test
    void readsAndWritesTheHandlesOfAnotherPacker() throws Exception {
        int replies = 0;
        for (var vector : ProgramVector.of(Mount3.PROGRAM, Mount1.VERSION)) {
            if (isMnt(vector)) {
                assertArrayEquals(
                        vector.bytes(),
                        Golden.flat(MountResult.decode(vector.reader())::encode),
                        vector::line);
                replies++;
            }
        }
        assertEquals(5, replies);
    }

    @Test
    void takesNoTruncationForAWholeResult() {
        for (var vector : ProgramVector.of(Mount3.PROGRAM, Mount1.VERSION)) {
            for (int length = 0; isMnt(vector) && length < vector.bytes().length; length++) {
                var cut = Golden.reader(Arrays.copyOf(vector.bytes(), length));
                assertThrows(XdrException.class, () -> MountResult.decode(cut), vector::line);
            }
        }
    }

    /** RFC 1094, A.5: a status is a number of Unix errors. */
    @Test
    void statusesAreNumbersOfUnix() {
        for (var status : MountStatus.values()) {
            if (status != MountStatus.OK) {
                byte[] bytes = Golden.flat(new MountResult.Failed(status)::encode);
                int number = Integer.parseInt(HexFormat.of().formatHex(bytes), 16);
                assertEquals(status.number() < 1000 ? status.number() : 5, number);
            }
        }
    }

    @Test
    void handlesHave32Bytes() {
        assertThrows(IllegalArgumentException.class, () -> new MountResult.Ok(new byte[31]));
        assertEquals(36, Golden.flat(new MountResult.Ok(new byte[32])::encode).length);
    }
}
