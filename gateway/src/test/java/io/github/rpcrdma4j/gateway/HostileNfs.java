package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Calls of NFS and replies to them, most of them damaged. */
final class HostileNfs {
    static final int PROGRAM = 100003;
    private static final int ONE_OF_WHOLE = 8;
    private static final int DATA_MAX = 3000;
    private static final int FLAVORS = 8;
    private static final int BODY_MAX = 401;
    private static final int REPLY = 1;

    private static final int ACCESS = 3;
    private static final int GETATTR = 9;
    private static final int LOOKUP = 15;
    private static final int PUTFH = 22;
    private static final int PUTROOTFH = 24;
    private static final int READ = 25;
    private static final int READLINK = 27;
    private static final int REMOVE = 28;
    private static final int WRITE = 38;
    private static final int SEQUENCE = 53;
    private static final int[] OPERATIONS = {
        ACCESS, GETATTR, LOOKUP, PUTFH, PUTROOTFH, READ, READLINK, REMOVE, WRITE, SEQUENCE
    };

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final RandomGenerator random;

    HostileNfs(RandomGenerator random) {
        this.random = random;
    }

    /** Returns a call message, usually a damaged one. */
    byte[] call(int xid) {
        byte[] message = wholeCall(xid);
        return random.nextInt(ONE_OF_WHOLE) == 0
                ? message
                : Mutation.of(message, wholeCall(xid), random);
    }

    private byte[] wholeCall(int xid) {
        try (var out = new XdrWriter(pool)) {
            int version = random.nextInt(2, 5);
            boolean isCompound = version == 4 && random.nextInt(8) > 0;
            CallHeader.encode(
                    out,
                    xid,
                    random.nextInt(20) == 0 ? random.nextInt(PROGRAM - 10, PROGRAM + 10) : PROGRAM,
                    version,
                    isCompound ? 1 : random.nextInt(23),
                    credential());
            if (isCompound) {
                compound(out);
            } else {
                out.opaque(bytes(32)).uint64(random.nextLong());
                if (random.nextBoolean()) {
                    out.opaque(bytes(random.nextInt(DATA_MAX)));
                }
            }
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private RawAuth credential() {
        return random.nextBoolean()
                ? RawAuth.NONE
                : new RawAuth(
                        random.nextInt(FLAVORS),
                        MemorySegment.ofArray(bytes(random.nextInt(BODY_MAX))));
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private void compound(XdrWriter out) {
        int count = random.nextInt(9);
        out.string("hostile").uint32(random.nextInt(4)).uint32(count);
        for (int i = 0; i < count; i++) {
            int operation = OPERATIONS[random.nextInt(OPERATIONS.length)];
            out.uint32(operation);
            switch (operation) {
                case ACCESS -> out.uint32(1);
                case GETATTR -> out.uint32(1).uint32(random.nextInt());
                case LOOKUP, REMOVE -> out.string("name");
                case PUTFH -> out.opaque(bytes(random.nextInt(128)));
                case READ -> out.fixedOpaque(bytes(16)).uint64(0).uint32(random.nextInt(DATA_MAX));
                case WRITE ->
                        out.fixedOpaque(bytes(16))
                                .uint64(0)
                                .uint32(2)
                                .opaque(bytes(random.nextInt(DATA_MAX)));
                case SEQUENCE -> out.fixedOpaque(bytes(16)).uint64(1).uint64(1);
                default -> {}
            }
        }
    }

    /** Returns a reply message, usually a damaged one. */
    byte[] reply(int xid) {
        try (var out = new XdrWriter(pool)) {
            out.uint32(xid).uint32(REPLY).uint32(0);
            out.uint32(0).uint32(0).uint32(0);
            results(out);
            byte[] message = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            return random.nextInt(ONE_OF_WHOLE) == 0
                    ? message
                    : Mutation.of(message, message, random);
        }
    }

    /** Writes results of a COMPOUND that need not belong to the call. */
    private void results(XdrWriter out) {
        int count = random.nextInt(6);
        out.uint32(0).string("hostile").uint32(count);
        for (int i = 0; i < count; i++) {
            boolean isRead = random.nextBoolean();
            out.uint32(isRead ? READ : PUTROOTFH).uint32(0);
            if (isRead) {
                out.uint32(1).opaque(bytes(random.nextInt(DATA_MAX)));
            }
        }
    }

    /** A program of NFS that takes any arguments and returns anything. */
    static final class Program implements RpcProgram {
        private final AtomicLong seeds;

        Program(long seed) {
            seeds = new AtomicLong(seed);
        }

        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 2, 4);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            if (request.procedure() != 0) {
                new HostileNfs(new SplittableRandom(seeds.incrementAndGet())).results(results);
            }
            return AcceptStatus.SUCCESS;
        }
    }
}
