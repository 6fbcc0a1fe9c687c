package io.github.rpcrdma4j.nfs.server.export;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;

/** A host name whose addresses a test sets. */
public final class ChangingName {
    private volatile List<String> addresses;

    public ChangingName(String address) {
        addresses = List.of(address);
    }

    /** Gives the name other addresses; without any, lookups fail. */
    public void moveTo(String... others) {
        addresses = List.of(others);
    }

    /** Looks up the name for a rule. */
    public NamedHost lookedUp() throws UnknownHostException {
        return NamedHost.of("partner.example.org", this::lookUp);
    }

    /** Looks up the name of a rule again, as a server does every few minutes. */
    public static void lookUpAgain(NamedHost host, Duration later) {
        host.refresh(System.nanoTime() + later.toNanos());
    }

    private InetAddress[] lookUp(String name) throws UnknownHostException {
        if (addresses.isEmpty()) {
            throw new UnknownHostException(name + ": try again");
        }
        return addresses.stream().map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
    }
}
