package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareWindow;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Memory that the peer of a stream under test can access. */
public record Open(SoftwareWindow window) {
    public static Open of(
            SoftwareDomain domain, SoftwareWindows windows, MemorySegment memory, Access access) {
        var region = domain.register(memory);
        return new Open(windows.bind(region, 0, memory.byteSize(), Set.of(access)));
    }

    public int handle() {
        return window.handle();
    }

    public long address() {
        return window.address();
    }

    public MemorySegment segment() {
        return window.region().segment();
    }
}
