package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.time.Duration;

/**
 * How soft-iWARP behaves.
 *
 * @param crc whether this side asks for a CRC32C in every frame; if the peer asks, they are sent
 *     either way. An address that once ended a connection for a wrong CRC is not asked again
 * @param ulpduMax the longest ULPDU to send, in bytes; any legal length is received
 * @param setupTimeout how long a peer that connected may take to send its request
 * @param halfOpenMax connections at a time whose request has not come; for one more, the oldest of
 *     the client with the most is closed
 * @param halfOpenPerClientMax those of one client; for one more, the client's oldest is closed
 * @param tap watches all connections
 * @param idle what threads that poll do while nothing arrives
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

    /** CRC on, the longest frames, ten seconds, no tap. */
    public static final IwarpOptions DEFAULT =
            new IwarpOptions(
                    true,
                    Fpdu.ULPDU_MAX,
                    Duration.ofSeconds(10),
                    1024,
                    256,
                    IwarpTap.NONE,
                    IdleStrategy.lookThenSleep());

    /** Checks the settings. */
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

    /** Asks for CRCs, or not. */
    public IwarpOptions withCrc(boolean changed) {
        return new IwarpOptions(
                changed, ulpduMax, setupTimeout, halfOpenMax, halfOpenPerClientMax, tap, idle);
    }

    /** Bounds the ULPDUs that are sent, in bytes. */
    public IwarpOptions withUlpduMax(int changed) {
        return new IwarpOptions(
                crc, changed, setupTimeout, halfOpenMax, halfOpenPerClientMax, tap, idle);
    }

    /** Bounds the time in which a peer that connected sends its request. */
    public IwarpOptions withSetupTimeout(Duration changed) {
        return new IwarpOptions(
                crc, ulpduMax, changed, halfOpenMax, halfOpenPerClientMax, tap, idle);
    }

    /** Has a tap watch all connections. */
    public IwarpOptions withTap(IwarpTap changed) {
        return new IwarpOptions(
                crc, ulpduMax, setupTimeout, halfOpenMax, halfOpenPerClientMax, changed, idle);
    }

    /** Sets what threads that poll do while nothing arrives. */
    public IwarpOptions withIdle(IdleStrategy changed) {
        return new IwarpOptions(
                crc, ulpduMax, setupTimeout, halfOpenMax, halfOpenPerClientMax, tap, changed);
    }

    /** Bounds the connections whose request has not come: all, and those of one client. */
    public IwarpOptions withHalfOpen(int max, int perClientMax) {
        return new IwarpOptions(crc, ulpduMax, setupTimeout, max, perClientMax, tap, idle);
    }
}
