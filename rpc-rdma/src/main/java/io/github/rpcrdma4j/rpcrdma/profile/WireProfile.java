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
 * The wire format and message rules of clients and servers, for all connections of the options that
 * name it. Thread-safe.
 *
 * <p>The engine implements RFC 8166, and calls a profile where other profiles differ. It gets a
 * {@link ClientProfile} or a {@link ServerProfile} when it sets up a connection. These pass a
 * {@link io.github.rpcrdma4j.rpcrdma.requester.RequesterProfile} to the requester and a {@link
 * io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile} to the responder.
 *
 * <p>Tests: {@code ToyProfileTest}.
 */
// Only modules of this project can use all types of the methods.
@SuppressWarnings("exports")
public interface WireProfile {
    /** The profile of RFC 8166, with calls both ways (RFC 8167) and private data (RFC 8797). */
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

    /** Returns the name for users. */
    String name();

    /**
     * Returns the profile of a name, with its defaults: {@code "RFC 8166"}, or a profile of another
     * module on the module path or class path. The README and the package of a profile give its
     * name.
     *
     * @return empty if no module on the module path or class path has that profile
     */
    static Optional<WireProfile> find(String name) {
        return Stream.concat(
                        Stream.of(RFC_8166),
                        ServiceLoader.load(WireProfile.class).stream()
                                .map(ServiceLoader.Provider::get))
                .filter(profile -> profile.name().equals(name))
                .findFirst();
    }

    /** Returns the length of every posted receive for a receive threshold, both in bytes. */
    default int receiveBytes(int inlineReceive) {
        return inlineReceive;
    }

    /**
     * Returns the most receives that are posted beside those for calls and replies.
     *
     * @param credits the credits in the forward direction
     * @param reverseCredits the credits in the reverse direction
     */
    default int spareReceives(int credits, int reverseCredits) {
        return 0;
    }

    /**
     * Returns the shortest timeout of the profile, in nanoseconds. A server checks its connections
     * several times within it.
     */
    default long shortestTimeout() {
        return Long.MAX_VALUE;
    }

    /** Returns whether both sides may make calls on one connection. */
    default boolean callsBothWays() {
        return true;
    }

    /**
     * Returns the profile for a server, which may depend on earlier connections to it.
     *
     * @param now the time in nanoseconds of any origin
     */
    default WireProfile towards(InetSocketAddress server, long now) {
        return this;
    }

    /** Returns the profile of one connection of a client, which is established. */
    ClientProfile client(ClientProfile.Setup setup);

    /** Returns the profile of one connection of a server, which is about to be accepted. */
    ServerProfile server(ServerProfile.Setup setup);

    /** The view of a profile on one connection. */
    interface Setup {
        /** Returns the settings of the user. */
        Settings settings();

        /**
         * Returns the endpoint, which the lock of the connection guards, as it guards its roles.
         */
        Endpoint endpoint();

        /** Returns the counters of the connection. */
        Counters counters();

        /** Returns the random generator of the connection. */
        RandomGenerator random();

        /**
         * Reserves the additional memory for longer receives of the connection.
         *
         * @param length the length of each later receive, in bytes
         * @return false if the quota of the peer forbids it; no memory is reserved then
         */
        default boolean takeMoreReceives(int length) {
            return true;
        }

        /** Returns the time by the clock of the connection, in nanoseconds of any origin. */
        long nanoTime();

        /** Returns the parameters that were agreed on when the connection was established. */
        ConnectionParameters initial();

        /** Runs an action with the lock of the connection held. */
        void locked(Runnable work);
    }

    /** The options of a client or a server that matter to a profile. Lengths are in bytes. */
    interface Settings {
        /**
         * Returns the credits that calls in the forward direction request, or that the server
         * grants.
         */
        int credits();

        /**
         * Returns the credits that calls in the reverse direction request, or that the client
         * grants.
         */
        int callBackCredits();

        /** Returns the longest Send to make. */
        int inlineSend();

        /** Returns the longest Send to accept inline. */
        int inlineReceive();

        /** Returns whether Sends of both sides may invalidate handles of the other. */
        boolean remoteInvalidation();

        /** Returns the longest segment to offer. */
        long segmentMax();

        /** Returns the time limit for setting up a connection. */
        Duration connectTimeout();

        /** Returns the length of every posted receive. */
        int receiveBytes();
    }
}
