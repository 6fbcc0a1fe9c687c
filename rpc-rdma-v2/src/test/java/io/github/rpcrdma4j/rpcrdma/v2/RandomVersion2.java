package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import java.util.random.RandomGenerator;

/** Options of version 2 whose features are switched on and off at random. */
final class RandomVersion2 {
    private static final int KIB = 1024;

    private final RandomGenerator random;

    private RandomVersion2(RandomGenerator random) {
        this.random = random;
    }

    static WireProfile of(RandomGenerator random) {
        return new Version2Profile(new RandomVersion2(random).version2());
    }

    /** Returns such a profile, or sometimes that of RFC 8166. */
    static WireProfile orNone(RandomGenerator random) {
        return random.nextInt(16) == 0 ? WireProfile.RFC_8166 : of(random);
    }

    private Version2 version2() {
        var drawn =
                Version2.DEFAULT
                        .withSpeaks1(random.nextInt(16) != 0)
                        .withReceiveMax(KIB * (1 + random.nextInt(12)));
        drawn =
                random.nextInt(4) == 0
                        ? drawn.withoutTransmissions()
                        : drawn.withTransmissions(transmissions());
        drawn =
                random.nextInt(4) == 0
                        ? drawn.withoutFetchedReplies()
                        : drawn.withFetchedReplies(fetchedReplies());
        return random.nextBoolean()
                ? drawn.withWantedReceive(KIB * (1 + random.nextInt(12)))
                : drawn;
    }

    /** Leaves little room, so that replies wait for each other. */
    private FetchedReplies fetchedReplies() {
        var rules = FetchedReplies.ReplyChunks.values();
        return FetchedReplies.DEFAULT
                .withReplyChunks(rules[random.nextInt(rules.length)])
                .withExposedBytesMax(1 + random.nextInt(20_000));
    }

    private Version2.Transmissions transmissions() {
        var policies = Version2.TransferPolicy.values();
        return new Version2.Transmissions(
                1 + random.nextInt(5),
                1 + random.nextInt(5),
                random.nextInt(4),
                4 * (1 + random.nextInt(random.nextBoolean() ? 20 : 1000)),
                policies[random.nextInt(policies.length)]);
    }
}
