package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.oncrpc.*;
import io.github.rpcrdma4j.rpcrdma.*;
import io.github.rpcrdma4j.xdr.*;
import java.lang.foreign.*;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** STORE takes a megabyte, FETCH gives it back: bulk data lands in the memory of the other side. */
class BulkProgram implements RpcProgram {
    static final int PROGRAM = 0x2000_0100, VERSION = 1, STORE = 1, FETCH = 2, MAX = 1 << 20;
    static final UpperLayerBinding BINDING = // bulk arguments and results of each procedure
            UpperLayerBinding.of(PROGRAM, 1).procedure(STORE, 1, 0).procedure(FETCH, 0, 1).build();
    private volatile MemorySegment stored = Arena.ofAuto().allocate(MAX);

    public ProgramId id() {
        return new ProgramId(PROGRAM, VERSION);
    }

    public List<UpperLayerBinding> bindings() {
        return List.of(BINDING);
    }

    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var data = request.procedure() == STORE ? request.arguments().bulk(MAX) : null;
        request.arguments().finish(); // throws if argument bytes are left
        if (data != null) { // was read from the client's memory
            stored = Arena.ofAuto().allocate(MAX).copyFrom(data); // FETCH may still send the old
        } else if (request.procedure() == FETCH) {
            results.bulk(stored); // is written from here to the client's memory
        }
        boolean known = Integer.compareUnsigned(request.procedure(), FETCH) <= 0;
        return known ? AcceptStatus.SUCCESS : AcceptStatus.PROC_UNAVAIL;
    }

    public static void main(String[] args) throws Exception {
        var timeout = Duration.ofSeconds(5);
        try (var server =
                        RpcRdmaServer.builder()
                                .address(new InetSocketAddress("localhost", 0))
                                .program(new BulkProgram())
                                .start();
                var client = RpcRdmaClient.builder().binding(BINDING).connect(server.address());
                var arena = Arena.ofShared()) {
            var data = arena.allocate(MAX).fill((byte) 7);
            var store = new RpcCall(PROGRAM, VERSION, STORE, out -> out.bulk(data), 0);
            client.call(store, timeout).close();
            var target = arena.allocate(MAX); // the 4 below: the length word of the bulk result
            var fetch = new RpcCall(PROGRAM, VERSION, FETCH, out -> {}, 4, List.of(target));
            try (var reply = client.call(fetch, timeout)) {
                var landed = reply.results().bulk(MAX);
                System.out.println(
                        landed.byteSize() + " bytes, in place: " + landed.equals(target));
            }
        }
    }
}
