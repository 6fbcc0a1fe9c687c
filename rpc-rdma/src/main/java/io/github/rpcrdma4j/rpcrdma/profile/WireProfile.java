package io.github.rpcrdma4j.rpcrdma.profile;

import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * How clients and servers speak on the wire, for all connections with the options that have it.
 * Thread-safe.
 *
 * <p>The engine takes calls and replies as RFC 8166 has them, and asks for what differs: a {@link
 * ClientProfile} or a {@link ServerProfile} when a connection is set up, and these hand a {@link
 * io.github.rpcrdma4j.rpcrdma.requester.RequesterProfile} and a {@link
 * io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile} to the two roles.
 */
// What it is made of is for the modules of this project.
@SuppressWarnings("exports")
public interface WireProfile {
    /** RFC 8166, with calls both ways (RFC 8167) and private data (RFC 8797). */
    WireProfile RFC_8166 =
            new WireProfile() {
                @Override
                public String name() {
                    return "RFC 8166";
                }

                @Override
                public ClientProfile client(ClientProfile.Setup setup) {
                    return new ClientProfile() {};
                }

                @Override
                public ServerProfile server(ServerProfile.Setup setup) {
                    return new ServerProfile() {};
                }
            };

    /** What it is called where people read it. */
    String name();

    /**
     * The profile of that name on the module path or class path, with its defaults: {@code "RFC
     * 8166"}, and what other modules bring.
     *
     * @return empty if there is none
     */
    static Optional<WireProfile> find(String name) {
        return Stream.concat(
                        Stream.of(RFC_8166),
                        ServiceLoader.load(WireProfile.class).stream()
                                .map(ServiceLoader.Provider::get))
                .filter(profile -> profile.name().equals(name))
                .findFirst();
    }

    /** How long every posted receive is, in bytes, if so many take what is inline. */
    default int receiveBytes(int inlineReceive) {
        return inlineReceive;
    }

    /**
     * The most receives that stand posted beside those for calls and replies.
     *
     * @param credits for calls in the usual direction
     * @param reverseCredits for calls in the other
     */
    default int spareReceives(int credits, int reverseCredits) {
        return 0;
    }

    /**
     * The shortest of its timeouts, in nanoseconds: a server looks after its connections several
     * times within it.
     */
    default long shortestTimeout() {
        return Long.MAX_VALUE;
    }

    /** Whether both sides may make calls on one connection. */
    default boolean callsBothWays() {
        return true;
    }

    /**
     * What a server is spoken to by that was spoken to before.
     *
     * @param now in nanoseconds of any origin
     */
    default WireProfile towards(InetSocketAddress server, long now) {
        return this;
    }

    /** For one connection of a client, which is established. */
    ClientProfile client(ClientProfile.Setup setup);

    /** For one connection of a server, which is about to be accepted. */
    ServerProfile server(ServerProfile.Setup setup);

    /** One connection, for its profile. */
    interface Setup {
        /** What a user has set. */
        Settings settings();

        /** Guarded by the lock of the connection, as its roles are. */
        Endpoint endpoint();

        /** Counts what the connection does. */
        Counters counters();

        /** Numbers that are drawn for the connection. */
        RandomGenerator random();

        /**
         * Takes the memory by which all receives of the connection get longer.
         *
         * @param length of each from now on, in bytes
         * @return false if the peer may not have it; nothing was taken then
         */
        default boolean takeReceives(int length) {
            return true;
        }

        /** The time by the clock of the connection, in nanoseconds of any origin. */
        long nanoTime();

        /** What was agreed on when the connection was established. */
        ConnectionParameters initial();

        /** Does something with the lock of the connection. */
        void locked(Runnable work);
    }

    /**
     * What of the options of a client or a server matters for how it speaks; lengths are in bytes.
     */
    interface Settings {
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
}
