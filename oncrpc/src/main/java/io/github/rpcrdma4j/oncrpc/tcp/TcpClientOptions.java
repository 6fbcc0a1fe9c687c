package io.github.rpcrdma4j.oncrpc.tcp;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of a connection of a client.
 *
 * @param connectTimeout the time limit for connecting
 * @param recordMax the longest message that the client accepts, in bytes; a longer one ends the
 *     connection
 * @param portSeed if present, the client connects from a port below 1024, or not at all, because
 *     many servers trust the credentials of such connections only. Equal seeds prefer equal ports,
 *     by which some servers recognize a client that connects again.
 * @param from the address of this host from which the client connects; empty: the system chooses
 */
public record TcpClientOptions(
        Duration connectTimeout, long recordMax, OptionalInt portSeed, Optional<InetAddress> from) {
    /** Checks the limit. */
    public TcpClientOptions {
        if (recordMax < 1 || recordMax > TcpRpcClient.REPLY_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "recordMax must be 1 to " + TcpRpcClient.REPLY_BYTES_MAX + ": " + recordMax);
        }
    }

    /** Returns the usual settings with a time limit for connecting. */
    public static TcpClientOptions within(Duration connectTimeout) {
        return new TcpClientOptions(
                connectTimeout,
                TcpRpcClient.REPLY_BYTES_MAX,
                OptionalInt.empty(),
                Optional.empty());
    }

    /** Returns these settings with another time limit for connecting. */
    public TcpClientOptions withConnectTimeout(Duration changed) {
        return new TcpClientOptions(changed, recordMax, portSeed, from);
    }

    /**
     * Returns these settings with another limit for replies.
     *
     * @throws IllegalArgumentException if it is less than 1 or more than {@link
     *     TcpRpcClient#REPLY_BYTES_MAX}
     */
    public TcpClientOptions withRecordMax(long changed) {
        return new TcpClientOptions(connectTimeout, changed, portSeed, from);
    }

    /** Returns these settings for a port below 1024, or for any if there is no seed. */
    public TcpClientOptions withPortSeed(OptionalInt changed) {
        return new TcpClientOptions(connectTimeout, recordMax, changed, from);
    }

    /** Returns these settings with an address of this host to connect from. */
    public TcpClientOptions withFrom(InetAddress address) {
        return new TcpClientOptions(connectTimeout, recordMax, portSeed, Optional.of(address));
    }
}
