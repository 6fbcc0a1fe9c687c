package io.github.rpcrdma4j.nfs.server.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostRegistrationsTest {
    @Test
    void rpcbindLearnsFirstWhatOtherHostsReach() {
        var loopback = new InetSocketAddress("127.0.0.1", 1);
        var other = new InetSocketAddress("192.0.2.1", 2);
        var all = new InetSocketAddress("0.0.0.0", 3);
        assertEquals(
                List.of(all, other, loopback),
                HostRegistrations.widestFirst(List.of(loopback, other, all)));
        var second = new InetSocketAddress("192.0.2.2", 2);
        assertEquals(List.of(second, other), HostRegistrations.widestFirst(List.of(second, other)));
    }
}
