package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.time.Duration;

/**
 * The options of soft-iWARP.
 *
 * @param crc whether this side asks for a CRC32C in every frame; both sides send CRCs if either
 *     asks. An address that ended a connection because of a wrong CRC is not asked again
 * @param ulpduMax the longest ULPDU to send, in bytes; ULPDUs of any legal length are received
 * @param setupTimeout how long a connected peer may take to send its request
 * @param halfOpenMax how many connections may be without a complete request at a time; one more
 *     closes the oldest of the client with the most
 * @param halfOpenPerClientMax how many of them one client may have; one more closes its oldest
 * @param tap the observer of all connections
 * @param idle the behaviour of polling threads while nothing arrives
 */
public record IwarpOptions(
        boolean crc,
        int ulpduMax,
        Duration setupTimeout,
        int halfOpenMax,
        int halfOpenPerClientMax,
        IwarpTap tap,
        IdleStrategy idle) {
    private static final int ULPDU_MIN = DdpSegment.UNTAGGED_BYTES + ReadRequest.BYTES;

    /** The default options: CRCs, the longest frames, a setup timeout of ten seconds, no tap. */
    public static final IwarpOptions DEFAULT =
            new IwarpOptions(
                    true,
                    Fpdu.ULPDU_MAX,
                    Duration.ofSeconds(10),
                    1024,
                    256,
                    IwarpTap.NONE,
                    IdleStrategy.busyPollThenSleep());

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public IwarpOptions {
        if (ulpduMax < ULPDU_MIN || ulpduMax > Fpdu.ULPDU_MAX) {
            throw new IllegalArgumentException(
                    "ulpduMax must be " + ULPDU_MIN + " to " + Fpdu.ULPDU_MAX + ": " + ulpduMax);
        }
        if (setupTimeout.isNegative() || setupTimeout.isZero()) {
            throw new IllegalArgumentException("setupTimeout must be positive");
        }
        if (halfOpenMax < 1 || halfOpenPerClientMax < 1) {
            throw new IllegalArgumentException("at least one half-open connection is needed");
        }
    }

    /** Returns these options with or without a request for CRCs. */
    public IwarpOptions withCrc(boolean changed) {
        return new IwarpOptions(
                changed, ulpduMax, setupTimeout, halfOpenMax, halfOpenPerClientMax, tap, idle);
    }

    /** Returns these options with another longest ULPDU to send, in bytes. */
    public IwarpOptions withUlpduMax(int changed) {
        return new IwarpOptions(
                crc, changed, setupTimeout, halfOpenMax, halfOpenPerClientMax, tap, idle);
    }

    /** Returns these options with another time that a connected peer has to send its request. */
    public IwarpOptions withSetupTimeout(Duration changed) {
        return new IwarpOptions(
                crc, ulpduMax, changed, halfOpenMax, halfOpenPerClientMax, tap, idle);
    }

    /** Returns these options with another observer of all connections. */
    public IwarpOptions withTap(IwarpTap changed) {
        return new IwarpOptions(
                crc, ulpduMax, setupTimeout, halfOpenMax, halfOpenPerClientMax, changed, idle);
    }

    /** Returns these options with another behaviour of polling threads while nothing arrives. */
    public IwarpOptions withIdle(IdleStrategy changed) {
        return new IwarpOptions(
                crc, ulpduMax, setupTimeout, halfOpenMax, halfOpenPerClientMax, tap, changed);
    }

    /**
     * Returns these options with other limits on the connections without a complete request: in
     * all, and per client.
     */
    public IwarpOptions withHalfOpen(int max, int perClientMax) {
        return new IwarpOptions(crc, ulpduMax, setupTimeout, max, perClientMax, tap, idle);
    }
}
