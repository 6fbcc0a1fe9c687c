package io.github.rpcrdma4j.nfs.client.v4.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.ResultsBound;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: each plan has room for the longest results that it may have. Method: the walk over the
 * arguments, which the binding makes of any call, computes the same bound from the shapes of the
 * operations.
 */
class PlanTest {
    private static final FileHandle FILE = FileHandle.of(new byte[] {1});
    private static final FileName NAME = FileName.of("name");
    private static final AttributeSet NUMBERS =
            AttributeSet.of(Attribute.SIZE, Attribute.FSID, Attribute.TIME_MODIFY);

    /** The bytes of these values. */
    private static final int NUMBERS_BYTES = 8 + 16 + 12;

    /** Status, tag and count. */
    private static final int ENVELOPE = 12;

    private static Map<String, Plan> plans() {
        var memory = Arena.ofAuto().allocate(1000);
        var file = Plan.at(FILE);
        var open =
                new StateArguments.Open(
                        0,
                        StateArguments.Open.READ,
                        0,
                        new StateOwner(0, OpaqueName.of(new byte[8])),
                        new OpenCreation.None(),
                        new OpenClaim.Name(NAME));
        var set = new XattrArguments.SetXattr(XattrArguments.SetXattr.Option.EITHER, NAME, memory);
        var plans = new TreeMap<String, Plan>();
        plans.put("root", Plan.atRoot());
        plans.put("file", file);
        plans.put("save", file.save());
        plans.put("lookup", file.lookup(NAME));
        plans.put("handle", file.handle());
        plans.put("attributes", file.attributes(NUMBERS, NUMBERS_BYTES));
        plans.put("change", file.change(EncodedAttributes.NONE));
        plans.put("require", file.require(EncodedAttributes.NONE));
        plans.put("requireOther", file.requireOther(EncodedAttributes.NONE));
        plans.put("access", file.access(1));
        plans.put("list", file.list(0, 0, 4096, NUMBERS));
        plans.put("read", file.read(StateId.ANONYMOUS, 0, memory));
        plans.put("write", file.write(StateId.ANONYMOUS, 0, Stability.UNSTABLE, memory));
        plans.put("commit", file.commit(0, 0));
        plans.put("open", file.open(open));
        plans.put("close", file.close(StateId.CURRENT));
        plans.put("returned", file.returned(StateId.CURRENT));
        plans.put(
                "create",
                file.create(
                        new NameArguments.Create(
                                new NameArguments.NewFile.Directory(),
                                NAME,
                                EncodedAttributes.NONE)));
        plans.put("remove", file.remove(NAME));
        plans.put("rename", file.rename(NAME, NAME));
        plans.put("link", file.link(NAME));
        plans.put("xattrs", file.xattrs(0, 512));
        plans.put("setXattr", file.xattr(set));
        plans.put("removeXattr", file.removeXattr(NAME));
        return plans;
    }

    private static ResultsBound walked(Plan plan) throws Exception {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            new CompoundArguments(OpaqueName.of(new byte[0]), 2, plan.operations()).encode(out);
            out.inlineBulkItems();
            return CompoundCall.walk(CompoundKind.COMPOUND, new XdrReader(out.reducedStream()))
                    .longestReducedResults();
        }
    }

    @Test
    void eachPlanHasRoomForItsLongestResults() throws Exception {
        for (var each : plans().entrySet()) {
            switch (walked(each.getValue())) {
                case ResultsBound.Bytes(var bytes) ->
                        assertTrue(
                                ENVELOPE + each.getValue().resultsMax() >= bytes,
                                each.getKey()
                                        + " has room for "
                                        + each.getValue().resultsMax()
                                        + ", and may need "
                                        + bytes);
                case ResultsBound.Unbounded(var index, var cause) ->
                        throw new AssertionError(each.getKey() + ": " + index + " " + cause);
            }
        }
    }

    /** A value has no bound by the protocol (RFC 8267, Section 3.1): the client sets one. */
    @Test
    void theValueOfAnExtendedAttributeHasTheRoomThatTheClientGivesIt() throws Exception {
        var plan = Plan.at(FILE).xattr(NAME, 10);
        assertInstanceOf(ResultsBound.Unbounded.class, walked(plan));
        assertEquals(Plan.at(FILE).resultsMax() + 8 + 4 + 12, plan.resultsMax());
        assertTrue(plan.isRepeatable());
    }

    /** The n-th READ-class operation has the n-th Write chunk, so a plan has at most one. */
    @Test
    void onlyReadHasATarget() {
        var target = Arena.ofAuto().allocate(10);
        assertEquals(1, Plan.at(FILE).read(StateId.ANONYMOUS, 0, target).targets().size());
        assertEquals(0, Plan.at(FILE).link(4096).targets().size(), "knfsd fails otherwise");
        plans().forEach(
                        (name, plan) ->
                                assertEquals(
                                        name.equals("read") ? 1 : 0, plan.targets().size(), name));
    }

    @Test
    void whatChangesNamesOrOpensIsNotRepeatable() {
        var once =
                java.util.Set.of(
                        "open",
                        "close",
                        "returned",
                        "create",
                        "remove",
                        "rename",
                        "link",
                        "setXattr",
                        "removeXattr");
        plans().forEach(
                        (name, plan) ->
                                assertEquals(!once.contains(name), plan.isRepeatable(), name));
    }
}
