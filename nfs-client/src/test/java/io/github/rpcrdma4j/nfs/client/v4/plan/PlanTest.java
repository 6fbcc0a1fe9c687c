package io.github.rpcrdma4j.nfs.client.v4.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.ResultsBound;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Goal: each plan has room for the longest results that it may have. Method: the walk over the
 * arguments, which the binding makes of any call, computes the same bound from the shapes of the
 * operations. Also with random results of all lengths.
 */
class PlanTest {
    private static final FileHandle FILE = FileHandle.of(new byte[] {1});
    private static final int ROUNDS = 200;
    private static final FileName NAME = FileName.of("name");
    private static final AttributeSet NUMBERS =
            AttributeSet.of(Attribute.SIZE, Attribute.FSID, Attribute.TIME_MODIFY);

    /** The methods whose results have the room that the client gives them, in tests below. */
    private static final Set<String> UNBOUNDED = Set.of("flavors", "xattr");

    /** The bytes of these values. */
    private static final int NUMBERS_BYTES = 8 + 16 + 12;

    /** Status, tag and count. */
    private static final int ENVELOPE = 12;

    /** Returns a plan of each method. */
    static Map<String, Plan> plans() {
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
        var making =
                new StateArguments.Open(
                        0,
                        open.access(),
                        0,
                        open.owner(),
                        new OpenCreation.Guarded(EncodedAttributes.NONE),
                        open.claim());
        var set = new XattrArguments.SetXattr(XattrArguments.SetXattr.Option.EITHER, NAME, memory);
        var plans = new TreeMap<String, Plan>();
        plans.put("atRoot", Plan.atRoot());
        plans.put("at", file);
        plans.put("file", file.file(FILE));
        plans.put("save", file.save());
        plans.put("lookup", file.lookup(NAME));
        plans.put("parent", file.parent());
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
        plans.put("open: new", file.open(making));
        plans.put("close", file.close(StateId.CURRENT));
        plans.put("confirm", file.confirm(StateId.CURRENT));
        plans.put("test", Plan.EMPTY.test(Collections.nCopies(32, StateId.CURRENT)));
        plans.put("free", Plan.EMPTY.free(StateId.CURRENT));
        plans.put(
                "lock",
                file.lock(
                        new LockArguments.Lock(
                                LockType.WRITE,
                                false,
                                0,
                                -1,
                                new LockArguments.Locker.Existing(StateId.CURRENT, 0))));
        plans.put(
                "unlock",
                file.unlock(new LockArguments.LockU(LockType.WRITE, 0, StateId.CURRENT, 0, -1)));
        plans.put("session", Plan.EMPTY.session(new SessionArguments.ReclaimComplete(false), 0));
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
        plans.put("xattr: set", file.xattr(set));
        plans.put("removeXattr", file.removeXattr(NAME));
        plans.put("link: text", file.link(4096));
        plans.put(
                "share",
                file.share(new CopyArguments.Clone(StateId.CURRENT, StateId.CURRENT, 0, 0, 0)));
        plans.put(
                "copy",
                file.copy(
                        new CopyArguments.Copy(
                                StateId.CURRENT, StateId.CURRENT, 0, 0, 1, true, true, List.of())));
        plans.put("progress", file.progress(StateId.CURRENT));
        plans.put("cancel", file.cancel(StateId.CURRENT));
        plans.put("seek", file.seek(new DataArguments.Seek(StateId.CURRENT, 0, 0)));
        return plans;
    }

    @Test
    void eachPlanHasRoomForItsLongestResults() throws Exception {
        for (var each : plans().entrySet()) {
            long bytes = LongestResults.of(each.getValue());
            assertTrue(
                    ENVELOPE + each.getValue().resultsMax() >= bytes,
                    each.getKey()
                            + " has room for "
                            + each.getValue().resultsMax()
                            + ", and may need "
                            + bytes);
        }
    }

    @Test
    void eachMethodThatAddsAnOperationIsTried() {
        var all =
                Arrays.stream(Plan.class.getDeclaredMethods())
                        .filter(each -> Modifier.isPublic(each.getModifiers()))
                        .filter(each -> each.getReturnType() == Plan.class)
                        .map(Method::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
        var tried =
                plans().keySet().stream()
                        .map(each -> each.replaceFirst(":.*", ""))
                        .collect(Collectors.toCollection(TreeSet::new));
        tried.addAll(UNBOUNDED);
        assertEquals(all, tried, "plans() is to have a plan of each method");
    }

    @Test
    void eachPlanHasRoomForRandomResults() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < ROUNDS; i++) {
            for (var each : plans().entrySet()) {
                var plan = each.getValue();
                long bytes = RandomResults.bytes(plan, random);
                assertTrue(
                        ENVELOPE + plan.resultsMax() >= bytes,
                        () ->
                                each.getKey()
                                        + " has room for "
                                        + plan.resultsMax()
                                        + ", and needs "
                                        + bytes);
            }
        }
    }

    /** A value has no bound by the protocol (RFC 8267, Section 3.1): the client sets one. */
    @Test
    void theValueOfAnExtendedAttributeHasTheRoomThatTheClientGivesIt() throws Exception {
        var plan = Plan.at(FILE).xattr(NAME, 10);
        assertInstanceOf(ResultsBound.Unbounded.class, LongestResults.bound(plan));
        assertEquals(Plan.at(FILE).resultsMax() + 8 + 4 + 12, plan.resultsMax());
        assertTrue(plan.isRepeatable());
    }

    /** Nor has a list of flavors. */
    @Test
    void flavorsHaveTheRoomThatTheClientGivesThem() throws Exception {
        for (var plan : List.of(Plan.at(FILE).flavors(NAME, 400), Plan.at(FILE).flavors(400))) {
            assertInstanceOf(ResultsBound.Unbounded.class, LongestResults.bound(plan));
            assertEquals(Plan.at(FILE).resultsMax() + 8 + 400, plan.resultsMax());
            assertTrue(plan.isRepeatable());
            assertEquals(Set.of(), plan.changed());
        }
    }

    @Test
    void aPlanMayChangeTheFilesThatItBeginsWith() {
        var other = FileHandle.of(new byte[] {9});
        var renaming = Plan.at(FILE).save().file(other).rename(NAME, NAME);
        assertEquals(Set.of(FILE, other), renaming.files());
        assertEquals(Set.of(FILE, other), renaming.changed());
        var reading = Plan.at(FILE).commit(0, 0);
        assertEquals(Set.of(FILE), reading.files());
        assertEquals(Set.of(), reading.changed());
        var data = Arena.ofAuto().allocate(10);
        var writing = Plan.at(FILE).write(StateId.ANONYMOUS, 0, Stability.UNSTABLE, data);
        assertTrue(writing.isRepeatable());
        assertEquals(Set.of(FILE), writing.changed());
        assertEquals(Set.of(), Plan.EMPTY.files());
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
                Set.of(
                        "open",
                        "open: new",
                        "close",
                        "confirm",
                        "share",
                        "copy",
                        "returned",
                        "lock",
                        "unlock",
                        "create",
                        "remove",
                        "rename",
                        "link",
                        "xattr: set",
                        "removeXattr");
        plans().forEach(
                        (name, plan) ->
                                assertEquals(!once.contains(name), plan.isRepeatable(), name));
    }
}
