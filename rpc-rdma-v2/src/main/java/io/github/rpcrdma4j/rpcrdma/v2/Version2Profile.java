package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.VersionMemory;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The profile of version 2, which falls back to version 1 where the options allow it. It remembers
 * for ten minutes which servers speak only version 1, so clients that share a profile probe such a
 * server once. Thread-safe.
 */
public final class Version2Profile implements WireProfile {
    private static final int SERVERS_MAX = 1024;

    private final Version2 version2;
    private final VersionMemory memory =
            new VersionMemory(SERVERS_MAX, Duration.ofMinutes(10).toNanos());

    /** Creates the default profile, for {@link WireProfile#find}. */
    public Version2Profile() {
        this(Version2.DEFAULT);
    }

    /** Creates a profile that has probed no server. */
    public Version2Profile(Version2 version2) {
        this.version2 = version2;
    }

    /** Returns the options of version 2. */
    public Version2 version2() {
        return version2;
    }

    @Override
    public String name() {
        return "version 2";
    }

    @Override
    public int receiveBytes(int inlineReceive) {
        return inlineReceive
                + version2.transmissions().map(Version2.Transmissions::placementBytes).orElse(0);
    }

    @Override
    public int spareReceives(int credits, int reverseCredits) {
        return Version2Receiver.SPARE_RECEIVES
                + version2.spareForResponses(credits, reverseCredits)
                + version2.spareForFetchedReplies(credits, reverseCredits);
    }

    @Override
    public long shortestTimeout() {
        return version2.fetchedReplies()
                .map(FetchedReplies::hold)
                .map(Timeouts::nanos)
                .orElse(Long.MAX_VALUE);
    }

    @Override
    public WireProfile towards(InetSocketAddress server, long now) {
        return version2.speaks1() && memory.speaks1Alone(server, now) ? WireProfile.RFC_8166 : this;
    }

    @Override
    public ClientProfile client(ClientProfile.Setup setup) {
        return new Version2Client(version2, memory, setup);
    }

    @Override
    public ServerProfile server(ServerProfile.Setup setup) {
        return new Version2Server(version2, setup);
    }
}
