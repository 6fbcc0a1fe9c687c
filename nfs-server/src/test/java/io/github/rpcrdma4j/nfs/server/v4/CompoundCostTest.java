package io.github.rpcrdma4j.nfs.server.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: short COMPOUNDs need no thread of their own, and all others get one. */
class CompoundCostTest {
    private static final Arguments SEQUENCE =
            new SessionArguments.Sequence(new SessionId(1, 2), 3, 0, 0, false);
    private static final Arguments FILE = new HandleArguments.PutFh(FileHandle.of(new byte[28]));
    private static final Arguments ATTRIBUTES =
            new AttributeArguments.GetAttr(AttributeSet.of(Attribute.SIZE, Attribute.MODE));
    private static final Arguments READ = new DataArguments.Read(StateId.ANONYMOUS, 0, 4096);
    private static final Arguments WRITE =
            new DataArguments.Write(
                    StateId.ANONYMOUS,
                    0,
                    Stability.UNSTABLE,
                    MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5}));

    private static byte[] bytes(Arguments... operations) {
        var tag = OpaqueName.of(new byte[3]);
        var pool = new SegmentPool(1 << 16);
        try (var out = new XdrWriter(pool)) {
            new CompoundArguments(tag, 2, List.of(operations)).encode(out);
            var pieces = PayloadStream.of(out);
            var whole = Arena.ofAuto().allocate(pieces.length());
            pieces.copyTo(whole);
            return whole.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static Cost cost(byte[] call) {
        return cost(call, false);
    }

    private static Cost cost(byte[] call, boolean asksClients) {
        return CompoundCost.of(new XdrReader(MemorySegment.ofArray(call)), asksClients);
    }

    private static void assertCost(Cost expected, Arguments... operations) {
        assertEquals(expected, cost(bytes(operations)), () -> List.of(operations).toString());
    }

    @Test
    void whatLinuxSendsMostIsQuick() {
        assertCost(Cost.USUALLY_QUICK, SEQUENCE);
        assertCost(Cost.USUALLY_QUICK, SEQUENCE, FILE, READ);
        assertCost(Cost.USUALLY_QUICK, SEQUENCE, FILE, ATTRIBUTES);
        assertCost(
                Cost.USUALLY_QUICK, SEQUENCE, FILE, new AttributeArguments.Access(63), ATTRIBUTES);
        var name = new HandleArguments.Lookup(FileName.of("name"));
        assertCost(
                Cost.USUALLY_QUICK, SEQUENCE, FILE, name, new HandleArguments.GetFh(), ATTRIBUTES);
        assertCost(Cost.USUALLY_QUICK, SEQUENCE, FILE, new NameArguments.ReadLink());
        var data = bytes(SEQUENCE, FILE, WRITE, ATTRIBUTES);
        assertEquals(Cost.USUALLY_QUICK, cost(data));
    }

    @Test
    void oneOperationThatMayTakeLongIsEnough() {
        var close = new StateArguments.Close(0, StateId.ANONYMOUS);
        assertCost(Cost.UNKNOWN, SEQUENCE, FILE, close);
        assertCost(Cost.UNKNOWN, SEQUENCE, FILE, READ, close);
        assertCost(Cost.UNKNOWN, SEQUENCE, FILE, READ, new Arguments.Illegal(999));
        var many = new ArrayList<Arguments>(List.of(SEQUENCE, FILE));
        for (int i = 0; i < 6; i++) {
            many.add(READ);
        }
        assertCost(Cost.USUALLY_QUICK, many.toArray(Arguments[]::new));
        many.add(READ);
        assertCost(Cost.UNKNOWN, many.toArray(Arguments[]::new));
    }

    @Test
    void attributesThatAClientHasToTellMayTakeLong() {
        assertEquals(Cost.UNKNOWN, cost(bytes(SEQUENCE, FILE, ATTRIBUTES), true));
        assertEquals(Cost.USUALLY_QUICK, cost(bytes(SEQUENCE, FILE, READ), true));
    }

    @Test
    void whatIsCutOffIsNotQuick() {
        var whole = bytes(SEQUENCE, FILE, new AttributeArguments.Access(1), READ);
        for (int length = 0; length < whole.length; length++) {
            assertEquals(Cost.UNKNOWN, cost(Arrays.copyOf(whole, length)));
        }
        assertEquals(Cost.USUALLY_QUICK, cost(whole));
    }
}
