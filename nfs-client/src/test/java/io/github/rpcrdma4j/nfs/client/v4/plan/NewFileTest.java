package io.github.rpcrdma4j.nfs.client.v4.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NewFileTest {
    private static final EncodedAttributes MODE =
            EncodedAttributes.of(
                    AttributeSet.of(Attribute.MODE), new byte[] {0, 0, 1, (byte) 0x80});
    private static final long VERIFIER = 0xf000_0001_e000_0002L;
    private static final Instant USUAL = Instant.ofEpochSecond(1_800_000_000, 5);

    private static final TimeChange KEEP = new TimeChange.Keep();
    private static final TimeChange NOW = new TimeChange.Now();

    private static NewFile file(AttributeChanges wanted) {
        return new NewFile(wanted, MODE, VERIFIER);
    }

    private static FileAttributes told(int mode, Instant accessed, Instant modified) {
        return new FileAttributes(
                FileType.REGULAR,
                mode,
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                new FileSystemId(0, 0),
                1,
                accessed,
                modified,
                USUAL);
    }

    private static AttributeChanges left(int wanted, int told, AttributeSet set) {
        return file(AttributeChanges.ofMode(wanted)).left(set, told(told, USUAL, USUAL));
    }

    @Test
    void theModeGoesWithTheCreationWhereTheVersionLetsIt() {
        var file = file(AttributeChanges.ofMode(0600));
        assertEquals(new OpenCreation.Exclusive(VERIFIER), file.creation(0));
        for (int minorVersion : new int[] {1, 2}) {
            assertEquals(
                    new OpenCreation.ExclusiveWithAttributes(VERIFIER, MODE),
                    file.creation(minorVersion));
        }
        assertThrows(IllegalArgumentException.class, () -> file(AttributeChanges.NONE));
    }

    @ParameterizedTest
    @CsvSource({
        "600,600,false",
        "600,0,false",
        "644,644,false",
        "600,640,true",
        "600,601,true",
        "640,600,false",
        "640,644,true",
        "600,4700,false"
    })
    void moreRightsForOthersThanWereAskedForAreTooMany(
            String wanted, String told, boolean isTooMany) {
        assertEquals(
                isTooMany,
                file(AttributeChanges.ofMode(Integer.parseInt(wanted, 8)))
                        .grantsTooMuch(told(Integer.parseInt(told, 8), USUAL, USUAL)));
    }

    @Test
    void whatTheServerHasNotSetIsLeft() {
        assertEquals(AttributeChanges.NONE, left(0640, 0640, AttributeSet.NONE));
        assertEquals(AttributeChanges.NONE, left(0640, 0600, AttributeSet.of(Attribute.MODE)));
        assertEquals(AttributeChanges.ofMode(0640), left(0640, 0, AttributeSet.NONE));
        var all =
                AttributeChanges.ofMode(0640)
                        .withOwner(OptionalInt.of(7), OptionalInt.of(8))
                        .withSize(9)
                        .withTimes(new TimeChange.To(USUAL), NOW);
        assertEquals(
                new AttributeChanges(
                        OptionalInt.empty(),
                        all.uid(),
                        all.gid(),
                        all.size(),
                        all.accessed(),
                        all.modified()),
                file(all)
                        .left(
                                AttributeSet.of(
                                        Attribute.MODE,
                                        Attribute.TIME_ACCESS,
                                        Attribute.TIME_MODIFY),
                                told(0640, USUAL, USUAL)));
    }

    /** Servers name the times, or what sets them; others say nothing of them. */
    @Test
    void timesThatKeepTheVerifierAreLeft() {
        var none = AttributeChanges.NONE;
        for (var access : new Attribute[] {Attribute.TIME_ACCESS, Attribute.TIME_ACCESS_SET}) {
            assertEquals(none.withTimes(NOW, KEEP), left(0600, 0600, AttributeSet.of(access)));
        }
        for (var modify : new Attribute[] {Attribute.TIME_MODIFY, Attribute.TIME_MODIFY_SET}) {
            assertEquals(none.withTimes(KEEP, NOW), left(0600, 0600, AttributeSet.of(modify)));
        }
        var file = file(AttributeChanges.ofMode(0600));
        for (long half : new long[] {0xf000_0001L, 0x7000_0001L, 0xe000_0002L, 0x6000_0002L}) {
            var kept = Instant.ofEpochSecond(half);
            assertEquals(
                    none.withTimes(NOW, KEEP),
                    file.left(AttributeSet.NONE, told(0600, kept, USUAL)));
            assertEquals(
                    none.withTimes(KEEP, NOW),
                    file.left(AttributeSet.NONE, told(0600, USUAL, kept)));
            assertEquals(none, file.left(AttributeSet.NONE, told(0600, kept.plusNanos(1), USUAL)));
        }
    }
}
