package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import java.io.IOException;
import java.time.Duration;

/** The time of the lease of a server's clients, which is an attribute of each file. */
final class LeaseTime {
    /** The longest lease that is believed, in seconds. */
    private static final long SECONDS_MAX = 300;

    /** Asks for it, as the first of other operations. */
    static final Plan PLAN =
            Plan.atRoot().attributes(AttributeSet.of(Attribute.LEASE_TIME), Integer.BYTES);

    private LeaseTime() {}

    /** Asks for it. */
    static Duration ask(RecoveryCalls calls) throws IOException, InterruptedException {
        return calls.run(PLAN, "cannot ask for the lease", LeaseTime::told);
    }

    /** Returns what the results of the plan tell. */
    static Duration told(Results results) throws IOException {
        var encoded = results.done(1).next(AttributeResult.GetAttr.class).attributes();
        long seconds =
                Results.decoded(
                        () -> {
                            var read = ReadAttributes.decode(encoded);
                            Nfs4Values.require(read, Attribute.LEASE_TIME);
                            return Integer.toUnsignedLong(read.word(Attribute.LEASE_TIME));
                        });
        return Duration.ofSeconds(Math.clamp(seconds, 1, SECONDS_MAX));
    }
}
