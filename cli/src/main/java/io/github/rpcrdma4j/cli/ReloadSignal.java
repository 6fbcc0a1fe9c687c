package io.github.rpcrdma4j.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The signal SIGHUP, by which operators have servers read their files again. Without a handler it
 * ends the process.
 */
final class ReloadSignal {
    private static final String NAME = "HUP";

    private ReloadSignal() {}

    /**
     * Runs something, in a thread of its own, each time the process gets the signal.
     *
     * @return whether this is possible here
     */
    static boolean onSignal(Runnable action) {
        // The classes are those of the JDK for this, and javac warns of each use of them.
        try {
            var signal = Class.forName("sun.misc.Signal");
            var handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler handling =
                    (proxy, method, arguments) ->
                            switch (method.getName()) {
                                case "handle" -> {
                                    action.run();
                                    yield null;
                                }
                                case "equals" -> proxy == arguments[0];
                                case "hashCode" -> System.identityHashCode(proxy);
                                default -> "the handler of SIGHUP";
                            };
            var proxy =
                    Proxy.newProxyInstance(
                            ReloadSignal.class.getClassLoader(),
                            new Class<?>[] {handler},
                            handling);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(NAME), proxy);
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException _) {
            return false;
        }
    }
}
