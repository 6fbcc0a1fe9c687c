package io.github.rpcrdma4j.nfs.client.v4.plan;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import java.time.Instant;

/**
 * A file that is to be made by exclusive creation: an OPEN that is sent again finds the file that
 * the first copy has made, by the verifier (RFC 8881, Section 18.16.3; RFC 7530, Section 16.16.4).
 * Only the mode goes with the OPEN, so that nobody else ever may use the file. Servers keep the
 * verifier in the times, which the client sets afterwards.
 *
 * @param wanted what the file is to have; its mode is present
 * @param mode that mode alone
 * @param verifier of no other file
 */
public record NewFile(AttributeChanges wanted, EncodedAttributes mode, long verifier) {
    /** The rights of group and others. */
    private static final int OF_OTHERS = 0077;

    /** Requires the mode. */
    public NewFile {
        if (wanted.mode().isEmpty()) {
            throw new IllegalArgumentException("a new file has no mode");
        }
    }

    /** Returns how OPEN makes the file in a minor version: the first one cannot set the mode. */
    public OpenCreation creation(int minorVersion) {
        return minorVersion == 0
                ? new OpenCreation.Exclusive(verifier)
                : new OpenCreation.ExclusiveWithAttributes(verifier, mode);
    }

    /**
     * Returns whether the server has given rights to others that were not asked for: who has opened
     * the file by them could read what is written later.
     *
     * @param told of the new file
     */
    public boolean grantsTooMuch(FileAttributes told) {
        return (told.mode() & OF_OTHERS & ~wanted.mode().orElseThrow()) != 0;
    }

    /**
     * Returns what the client has to set when the file is made.
     *
     * @param set what OPEN has set, as the server says: also where it keeps the verifier
     * @param told of the new file
     */
    public AttributeChanges left(AttributeSet set, FileAttributes told) {
        boolean hasMode = set.has(Attribute.MODE) || told.mode() == wanted.mode().orElseThrow();
        return new AttributeChanges(
                hasMode ? AttributeChanges.NONE.mode() : wanted.mode(),
                wanted.uid(),
                wanted.gid(),
                wanted.size(),
                time(
                        wanted.accessed(),
                        set.has(Attribute.TIME_ACCESS) || set.has(Attribute.TIME_ACCESS_SET),
                        told.accessed()),
                time(
                        wanted.modified(),
                        set.has(Attribute.TIME_MODIFY) || set.has(Attribute.TIME_MODIFY_SET),
                        told.modified()));
    }

    private TimeChange time(TimeChange wanted, boolean hasVerifier, Instant told) {
        return wanted instanceof TimeChange.Keep && (hasVerifier || isOfVerifier(told))
                ? new TimeChange.Now()
                : wanted;
    }

    /** Some servers do not say where they keep the verifier. */
    private boolean isOfVerifier(Instant time) {
        int seconds = half(time.getEpochSecond());
        return time.getNano() == 0
                && (seconds == half(verifier) || seconds == half(verifier >>> Integer.SIZE));
    }

    /** The highest bit of a half is lost in times of 31 bits. */
    private static int half(long number) {
        return (int) number & Integer.MAX_VALUE;
    }
}
