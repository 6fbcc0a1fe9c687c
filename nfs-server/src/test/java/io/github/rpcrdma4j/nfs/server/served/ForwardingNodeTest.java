package io.github.rpcrdma4j.nfs.server.served;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.store.Node;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: no operation of a store is lost on the way to it, although a node may do without many. */
class ForwardingNodeTest {
    @Test
    void aGuardedNodePassesEachOperationOn() {
        assertEquals(
                List.of(),
                Arrays.stream(Node.class.getMethods())
                        .filter(each -> !Modifier.isStatic(each.getModifiers()))
                        .filter(each -> isOfStore(each))
                        .map(Method::getName)
                        .toList());
    }

    /** Returns whether a guarded node would use what a store gets that does without. */
    private static boolean isOfStore(Method method) {
        try {
            var own = GuardedNode.class.getMethod(method.getName(), method.getParameterTypes());
            return own.getDeclaringClass().isAssignableFrom(Node.class);
        } catch (NoSuchMethodException missing) {
            throw new AssertionError(missing);
        }
    }
}
