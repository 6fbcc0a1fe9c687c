package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** {@link HostileSockets} with the profile of RFC 8166. */
class HostileOverIwarpTest extends HostileSockets {
    private static final int HEADER_BYTES = 28;

    HostileOverIwarpTest() {
        super(OPTIONS, HeaderFormat.VERSION_1);
    }

    @Override
    public List<byte[]> introduction() {
        return List.of();
    }

    @Override
    public List<byte[]> next(HostileMessageSource source, RandomGenerator random, int xid) {
        return List.of(source.next(xid));
    }

    @Override
    public byte[] nullCall() {
        byte[] call = Golden.bytes("EX-01");
        ByteBuffer.wrap(call).putInt(0, NULL_XID).putInt(HEADER_BYTES, NULL_XID);
        return call;
    }

    @Override
    public Optional<Answer> answer(byte[] said) {
        return ofVersion1(said);
    }
}
