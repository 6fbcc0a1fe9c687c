package io.github.rpcrdma4j.rpcrdma.profile;

import java.time.Duration;

/** What of the options of a client or a server matters for how it speaks; lengths are in bytes. */
public interface Settings {
    /** What calls in the usual direction ask for, or are granted. */
    int credits();

    /** What calls in the other direction ask for, or are granted. */
    int reverseCredits();

    /** The longest Send to make. */
    int inlineSend();

    /** The longest Send to take inline. */
    int inlineReceive();

    /** Whether handles may be invalidated by Sends, from here and from there. */
    boolean remoteInvalidation();

    /** The longest segment to offer. */
    long segmentMax();

    /** The bound on setting up a connection. */
    Duration setupTimeout();

    /** How long every posted receive is. */
    int receiveBytes();
}
